(import_directive !import_name !alias source: (_) @from) @all
(import_directive !import_name source: (_) @from alias: (_) @alias)
(import_directive !import_name alias: (_) @alias source: (_) @from)
(import_directive import_name: (_) @imported . import_name: (_) source: (_) @from)
(import_directive import_name: (_) @imported . source: (_) @from)
(import_directive import_name: (_) @imported . alias: (_) @alias source: (_) @from)

(inheritance_specifier ancestor: (user_defined_type) @base)

(function_definition name: (_) @name return_type: (return_type_definition . (parameter type: (type_name) @returns)))
(parameter type: (type_name) @typed name: (identifier) @variable)
(variable_declaration type: (type_name) @typed name: (identifier) @variable)
(state_variable_declaration type: (type_name !key_type) @typed name: (identifier) @member)
(struct_member type: (type_name !key_type) @typed name: (identifier) @member)
; A mapping is asked for one of its values before anything else.
(state_variable_declaration type: (type_name value_type: (_) @typed) name: (identifier) @member)
(struct_member type: (type_name value_type: (_) @typed) name: (identifier) @member)
(constant_variable_declaration type: (type_name) @typed name: (identifier) @variable)
