(comment) @comment
(marginalia) @comment

(create_table (object_reference name: (_) @name) (column_definitions) @body) @struct
(create_table . (keyword_create) (object_reference name: (_) @name)) @struct
(create_view (object_reference name: (_) @name) (create_query) @body) @struct
(create_materialized_view (object_reference name: (_) @name) (create_query) @body) @struct
(column_definitions (column_definition name: (_) @name) @field)

(create_type (object_reference name: (_) @name) (enum_elements) @body) @enum
(create_type (object_reference name: (_) @name) (column_definitions) @body) @struct
(create_type (object_reference name: (_) @name)) @type
; A signature ends where a function's manner or body begins, whichever is first.
(create_function (keyword_function) . (object_reference name: (_) @name)
  [(function_body) (function_language) (function_volatility) (function_security) (function_strictness)] @body) @function
(create_trigger (keyword_trigger) . (object_reference name: (_) @name)) @function
(create_index column: (_) @name) @constant
(create_sequence (object_reference name: (_) @name)) @constant
(create_schema . (keyword_create) (identifier) @name) @module
(create_database (identifier) @name) @module

; ALTER TABLE … ADD COLUMN …
(alter_table (object_reference name: (_) @owner) (add_column (column_definition name: (_) @name) @field))
