(comment) @comment
(description) @comment

(object_type_definition (name) @name (fields_definition) @body) @struct
; Without braces they are so small that the walk would pass them by.
(type_definition (object_type_definition (name) @name) @struct)
(object_type_extension (name) @name (fields_definition) @body) @struct
(interface_type_definition (name) @name (fields_definition) @body) @interface
(interface_type_extension (name) @name (fields_definition) @body) @interface
(input_object_type_definition (name) @name (input_fields_definition) @body) @struct
(input_object_type_extension (name) @name (input_fields_definition) @body) @struct
(enum_type_definition (name) @name (enum_values_definition) @body) @enum
(enum_type_extension (name) @name (enum_values_definition) @body) @enum
(union_type_definition (name) @name) @type
(type_definition (scalar_type_definition (name) @name) @type)
(directive_definition (name) @name) @macro

(fields_definition (field_definition (name) @name) @field)
(input_fields_definition (input_value_definition (name) @name) @field)
(enum_values_definition (enum_value_definition (enum_value) @name) @constant)

(operation_definition (name) @name (selection_set) @body) @function
(fragment_definition (fragment_name) @name (selection_set) @body) @function
