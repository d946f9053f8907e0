(open_module_signature module: (_) @from) @all
(include_module_type module_type: (module_type_of (module_path) @from)) @all @export
(include_module_type module_type: (module_type_path) @from) @all @export
(include_module_type module_type: (module_type_constraint module_type: (module_type_path) @from)) @all @export

(value_specification (value_name) @name type: (_) @returns)
(external (value_name) @name type: (_) @returns)
(method_specification (method_name) @name type: (_) @returns)

(field_declaration (field_name) @member type: (_) @typed)
(type_binding body: [(type_constructor_path) (constructed_type) (function_type) (tuple_type)] @typed)
(constructor_declaration (constructor_name) [(type_constructor_path) (constructed_type) (tuple_type)] @typed)
(module_binding (module_name) module_type: (module_type_path) @implements)
