(package_header (qualified_identifier) @package)

(class_declaration "interface" (delegation_specifiers (delegation_specifier (user_type) @base)))
(class_declaration "class" (delegation_specifiers (delegation_specifier [
  (user_type) @implements (explicit_delegation . (user_type) @implements) (constructor_invocation (user_type) @base)])))
(object_declaration (delegation_specifiers (delegation_specifier [
  (user_type) @implements (constructor_invocation (user_type) @base)])))

(function_declaration name: (_) @name (function_value_parameters)
  . [(user_type) (nullable_type) (non_nullable_type) (parenthesized_type) (function_type)] @returns)
; fun f() = g()
(function_body [(call_expression) (navigation_expression) (identifier) (as_expression) (unary_expression)] @gives)

(parameter (identifier) @variable . (_) @typed)
(class_parameter (identifier) @variable
  . [(user_type) (nullable_type) (non_nullable_type) (parenthesized_type) (function_type)] @typed)
(class_parameter ["val" "var"] (identifier) @member
  . [(user_type) (nullable_type) (non_nullable_type) (parenthesized_type) (function_type)] @typed)
(catch_block (identifier) @variable . (user_type) @typed) @reach
(for_statement (variable_declaration (identifier) @variable . (_) @typed)) @reach
(for_statement (variable_declaration (identifier) @variable .) . (_) @items) @reach
(lambda_literal (lambda_parameters (variable_declaration (identifier) @variable . (_)? @typed))) @reach
(when_subject (variable_declaration (identifier) @variable .) (_) @value)

(property_declaration (variable_declaration (identifier) @variable . (_) @typed))
(property_declaration (variable_declaration (identifier) @variable .)
  . [(call_expression) (navigation_expression) (identifier) (as_expression) (unary_expression)] @value)
(property_declaration (variable_declaration (identifier) @variable .)
  . (binary_expression left: (_) @value operator: "?:"))
; by lazy { Made() }
(property_declaration (variable_declaration (identifier) @variable .)
  (property_delegate (call_expression (annotated_lambda (lambda_literal (call_expression) @value .)))))
(multi_variable_declaration (variable_declaration (identifier) @variable . (_)? @typed))

; Types that are named and bind nothing.
(type_arguments) @typed
(object_literal (delegation_specifiers (delegation_specifier [
  (user_type) @typed (constructor_invocation (user_type) @typed)])))
(annotation [(user_type) @typed (constructor_invocation (user_type) @typed)])
(as_expression right: (_) @typed)
(is_expression right: (_) @typed)
(type_test (_) @typed)
(type_parameter (identifier) (user_type) @typed)
(type_constraint (identifier) (user_type) @typed)
(type_alias type: (_) [(user_type) (nullable_type) (function_type)] @typed)

; call<Type>(argument), where the grammar sees two comparisons.
(binary_expression left: (binary_expression left: (_) @called operator: "<" right: (identifier) @typed) operator: ">"
  right: (parenthesized_expression))

; A function that is passed on is used as much as one that is called.
((value_argument (navigation_expression "::" (identifier) @_name) @called) (#not-eq? @_name "class"))
(value_argument (callable_reference (identifier) @called .))
