; What interfaces have; implementations have it too.
(comment) @comment
(attribute) @lead
(item_attribute) @lead
(floating_attribute) @lead
(type_definition) @wrap
(module_definition) @wrap
(class_definition) @wrap
(class_type_definition) @wrap

(module_binding (module_name) @name module_type: (signature) @body) @module
(module_binding (module_name) @name) @module
(module_type_definition (module_type_name) @name body: (signature) @body) @interface
(module_type_definition (module_type_name) @name) @interface

(external (value_name) @name) @function
(value_specification (value_name) @name type: (function_type)) @function
(value_specification (value_name) @name) @constant
(value_specification (parenthesized_operator (_) @name)) @function

(type_binding name: (type_constructor) @name body: (variant_declaration) @body) @enum
(type_binding name: (type_constructor) @name body: (record_declaration) @body) @struct
(type_binding name: (type_constructor) @name) @type
(variant_declaration (constructor_declaration (constructor_name) @name) @constant)
(field_declaration (field_name) @name) @field
(exception_definition (constructor_declaration (constructor_name) @name)) @type

(class_binding (class_name) @name) @class
(class_type_binding (class_type_name) @name body: (_) @body) @interface
(method_specification (method_name) @name) @method
