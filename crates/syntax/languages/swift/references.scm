(import_declaration (identifier . (simple_identifier) @from .)) @all
(import_declaration (identifier . (simple_identifier) @from (simple_identifier) @imported .))
((import_declaration (modifiers (attribute (user_type) @_exported)) (identifier . (simple_identifier) @from .)) @all
  @export (#eq? @_exported "_exported"))

; A class may be made from one class, and that stands first; the rest are protocols.
(class_declaration "class" ":" . (inheritance_specifier inherits_from: (_) @base))
(class_declaration "class" "," . (inheritance_specifier inherits_from: (_) @implements))
(class_declaration "actor" (inheritance_specifier inherits_from: (_) @implements))
(class_declaration "struct" (inheritance_specifier inherits_from: (_) @implements))
(class_declaration "enum" (inheritance_specifier inherits_from: (_) @implements))
(class_declaration "extension" (inheritance_specifier inherits_from: (_) @implements))
(protocol_declaration (inheritance_specifier inherits_from: (_) @base))

(parameter (simple_identifier) @variable . [(user_type) (optional_type) (array_type) (dictionary_type) (opaque_type)
  (existential_type) (function_type) (tuple_type)] @typed)
(property_declaration (pattern bound_identifier: (simple_identifier) @variable) . (type_annotation) @typed)
(property_declaration (pattern bound_identifier: (simple_identifier) @variable) . value: (_) @value)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @variable)
  . (type_annotation) @typed)
(if_statement bound_identifier: (simple_identifier) @variable
  . [(call_expression) (navigation_expression) (simple_identifier) (try_expression) (await_expression) (as_expression)
    (nil_coalescing_expression)] @value)
(guard_statement bound_identifier: (simple_identifier) @variable
  . [(call_expression) (navigation_expression) (simple_identifier) (try_expression) (await_expression) (as_expression)
    (nil_coalescing_expression)] @value)
(for_statement item: (pattern bound_identifier: (simple_identifier) @variable) collection: (_) @items) @reach
(lambda_literal type: (lambda_function_type (lambda_function_type_parameters (lambda_parameter
  . (simple_identifier) @variable . (_)? @typed)))) @reach
(catch_block error: (pattern (pattern bound_identifier: (simple_identifier) @variable) (user_type) @typed)) @reach
(switch_entry (switch_pattern (pattern (pattern bound_identifier: (simple_identifier) @variable) (user_type) @typed)))
  @reach

; Types that are named and bind nothing.
(type_arguments) @typed
((attribute (user_type) @typed) (#match? @typed "^[A-Z]"))
(inheritance_constraint (user_type) @typed)
(equality_constraint (user_type) @typed)
(type_parameter (user_type) @typed)
(as_expression (as_operator) . (_) @typed)
(check_expression [(user_type) (optional_type) (array_type)] @typed)
(enum_type_parameters [(user_type) (optional_type) (array_type) (dictionary_type)] @typed)
(typealias_declaration name: (type_identifier) "=" . (_) @typed)
