(comment) @comment

(table . [(bare_key) (dotted_key) (quoted_key)] @name . (_) @body) @section
(table . [(bare_key) (dotted_key) (quoted_key)] @name) @section
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name . (_) @body) @section
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @section

(document (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @field)
(table (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @field)
(table_array_element (pair . [(bare_key) (dotted_key) (quoted_key)] @name) @field)
