(function_declaration name: (_) @name result: (parameter_list . (parameter_declaration type: (_) @returns)))
(function_declaration name: (_) @name result: (_) @returns)
(method_declaration name: (_) @name result: (parameter_list . (parameter_declaration type: (_) @returns)))
(method_declaration name: (_) @name result: (_) @returns)
(method_elem name: (_) @name result: (parameter_list . (parameter_declaration type: (_) @returns)))
(method_elem name: (_) @name result: (_) @returns)

(import_spec !name path: (_) @from)
(import_spec name: (package_identifier) @alias path: (_) @from)
(import_spec name: (dot) @all path: (_) @from)

(function_declaration parameters: (parameter_list (_ name: (identifier) @variable type: (_) @typed)))
(function_declaration result: (parameter_list (_ name: (identifier) @variable type: (_) @typed)))
(function_declaration type_parameters: (type_parameter_list (_ name: (identifier) @variable type: (_) @typed)))
(method_declaration receiver: (parameter_list (_ name: (identifier) @variable type: (_) @typed)))
(method_declaration parameters: (parameter_list (_ name: (identifier) @variable type: (_) @typed)))
(method_declaration result: (parameter_list (_ name: (identifier) @variable type: (_) @typed)))
(func_literal parameters: (parameter_list (_ name: (identifier) @variable type: (_) @typed))) @reach
(type_spec type_parameters: (type_parameter_list (_ name: (identifier) @variable type: (_) @typed)))

; Variables are known in their block.
(source_file (var_declaration (var_spec name: (identifier) @variable type: (_) @typed)))
(source_file (var_declaration (var_spec name: (identifier) @variable !type value: (expression_list . (_) @value))))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @variable type: (_) @typed))))
(source_file (var_declaration (var_spec_list (var_spec
  name: (identifier) @variable !type value: (expression_list . (_) @value)))))
(statement_list (var_declaration (var_spec name: (identifier) @variable type: (_) @typed))) @reach
(statement_list (var_declaration (var_spec
  name: (identifier) @variable !type value: (expression_list . (_) @value)))) @reach
(statement_list (short_var_declaration
  left: (expression_list . (identifier) @variable) right: (expression_list . (_) @value))) @reach
; The others of several hide what has the same name outside.
(statement_list (short_var_declaration left: (expression_list (_) (identifier) @variable))) @reach
(statement_list (for_statement (range_clause
  left: (expression_list . (identifier) . (identifier) @variable) right: (_) @items)) @reach)
(statement_list (for_statement (range_clause left: (expression_list . (identifier) @variable .) right: (_) @items)) @reach)
(statement_list (for_statement (for_clause initializer: (short_var_declaration
  left: (expression_list (identifier) @variable)))) @reach)
(statement_list (if_statement initializer: (short_var_declaration
  left: (expression_list . (identifier) @variable) right: (expression_list . (_) @value))) @reach)
(statement_list (if_statement initializer: (short_var_declaration
  left: (expression_list (_) (identifier) @variable))) @reach)
(expression_switch_statement initializer: (short_var_declaration
  left: (expression_list . (identifier) @variable) right: (expression_list . (_) @value))) @reach
(type_switch_statement alias: (expression_list (identifier) @variable) (type_case type: (_) @typed) @reach)
(communication_case communication: (receive_statement left: (expression_list . (identifier) @variable) right: (_) @items)) @reach

(type_alias name: (_) @variable type: (_) @typed)
(type_spec name: (_) @variable type: [(slice_type) (map_type) (array_type) (channel_type) (pointer_type)] @typed)
(field_declaration name: (_) @member type: (_) @typed)
; An embedded type gives its members away.
(field_declaration !name type: [(type_identifier) (qualified_type) (pointer_type)] @base)
(interface_type (type_elem [(type_identifier) (qualified_type)] @base))
