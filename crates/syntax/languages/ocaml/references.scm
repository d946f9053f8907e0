(open_module module: (module_path) @from) @all
(include_module module: (module_path) @from) @all @export
; module Short = Some.Other
(module_binding (module_name) @alias body: (module_path) @from)

(let_binding pattern: (value_name) @name (parameter) type: (_) @returns)
(method_definition (method_name) @name type: (_) @returns)

(parameter pattern: (value_pattern) @variable)
(parameter pattern: (typed_pattern pattern: (value_pattern) @variable type: (_) @typed))
(let_binding pattern: (value_name) @variable .
  body: [(application_expression) (value_path) (new_expression) (method_invocation) (field_get_expression)] @value)
(let_binding pattern: (value_name) @variable . type: (_) @typed)
(instance_variable_definition (instance_variable_name) @member type: (_) @typed)
(instance_variable_definition (instance_variable_name) @member !type body: (_) @value)

(inheritance_definition class: (class_path) @base)
(inheritance_definition class: (class_application class: (class_path) @base))

; x |> f, f @@ x
((infix_expression operator: (rel_operator) @_op right: (value_path) @called) (#eq? @_op "|>"))
((infix_expression left: (value_path) @called operator: (concat_operator) @_op) (#eq? @_op "@@"))
