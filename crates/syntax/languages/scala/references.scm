; package a
; package b
(compilation_unit (package_clause name: (_) @package !body)+)

(extends_clause . type: (_) @base)
(extends_clause "with" . type: (_) @implements)
(extends_clause "," . type: (_) @implements)

(function_definition name: (_) @name return_type: (_) @returns)
(function_declaration name: (_) @name return_type: (_) @returns)
(function_definition !return_type
  body: [(call_expression) (instance_expression) (field_expression) (generic_function) (identifier)] @gives)

(parameter name: (_) @variable type: (_) @typed)
(class_parameter name: (_) @variable type: (_) @typed)
(class_parameter ["val" "var"] name: (_) @member type: (_) @typed)
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (_) @member type: (_) @typed)))
(val_definition pattern: (identifier) @variable type: (_) @typed)
(val_definition pattern: (identifier) @variable !type
  value: [(call_expression) (instance_expression) (field_expression) (generic_function) (identifier) (if_expression)
    (ascription_expression)] @value)
(var_definition pattern: (identifier) @variable type: (_) @typed)
(var_definition pattern: (identifier) @variable !type
  value: [(call_expression) (instance_expression) (field_expression) (generic_function) (identifier)] @value)
(val_declaration name: (_) @variable type: (_) @typed)
(var_declaration name: (_) @variable type: (_) @typed)
(given_definition name: (_) @variable return_type: (_) @typed)
(enumerator . (identifier) @variable "<-" (_) @items)
(enumerator . (identifier) @variable "=" (_) @value)
(lambda_expression parameters: (identifier) @variable) @reach
(lambda_expression parameters: (bindings (binding name: (_) @variable type: (_)? @typed))) @reach
(case_clause pattern: (typed_pattern pattern: (identifier) @variable type: (_) @typed)) @reach

; a method b
(infix_expression operator: (identifier)) @called

; Types that are named and bind nothing.
(type_arguments) @typed
(derives_clause type: (_) @typed)
(self_type (_) (_) @typed)
(case_class_pattern type: (_) @typed)
(context_bound type: (_) @typed)
(upper_bound type: (_) @typed)
(annotation name: (_) @typed)
(type_definition type: (_) @typed)
