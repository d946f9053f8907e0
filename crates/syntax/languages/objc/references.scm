(module_import path: (_) @from)

(class_interface superclass: (identifier) @base)
(class_interface superclass: (_) (parameterized_arguments (type_name) @implements))
(class_interface (protocol_reference_list (identifier) @implements))
(protocol_declaration (protocol_reference_list (identifier) @base))

(method_declaration (method_type) @returns) @name
(method_definition (method_type) @returns) @name

(method_parameter (method_type (type_name) @typed) (identifier) @variable .)
(property_declaration (struct_declaration . (_) @typed (struct_declarator) @member))
(instance_variable (struct_declaration . (_) @typed (struct_declarator) @member))
