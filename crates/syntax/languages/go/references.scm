(function_declaration name: (_) @name result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns)
(function_declaration name: (_) @name result: (parameter_list . (parameter_declaration type: (_) @returns)))
(method_declaration name: (_) @name result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns)
(method_declaration name: (_) @name result: (parameter_list . (parameter_declaration type: (_) @returns)))
(method_elem name: (_) @name result: [(type_identifier) (pointer_type) (qualified_type) (generic_type)] @returns)

(import_spec !name path: (_) @from)
(import_spec name: (package_identifier) @alias path: (_) @from)
(import_spec name: (dot) @all path: (_) @from)

(parameter_declaration name: (identifier) @variable type: (_) @typed)
(variadic_parameter_declaration name: (identifier) @variable type: (_) @typed)
(var_spec name: (identifier) @variable type: (_) @typed)
(var_spec name: (identifier) @variable !type value: (expression_list . (_) @value))
(short_var_declaration left: (expression_list . (identifier) @variable) right: (expression_list . (_) @value))
(field_declaration name: (_) @member type: (_) @typed)
; An embedded type gives its members away.
(field_declaration !name type: [(type_identifier) (qualified_type) (pointer_type)] @base)
(interface_type (type_elem [(type_identifier) (qualified_type)] @base))
