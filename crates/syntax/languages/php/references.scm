(namespace_definition name: (_) @package)
(require_once_expression [(string (string_content) @from) (binary_expression right: (string (string_content) @from))])
  @dynamic
(require_expression [(string (string_content) @from) (binary_expression right: (string (string_content) @from))])
  @dynamic
(include_once_expression [(string (string_content) @from) (binary_expression right: (string (string_content) @from))])
  @dynamic
(include_expression [(string (string_content) @from) (binary_expression right: (string (string_content) @from))])
  @dynamic

(class_declaration (base_clause (_) @base))
(class_declaration (class_interface_clause (_) @implements))
(enum_declaration (class_interface_clause (_) @implements))
(interface_declaration (base_clause (_) @base))
; The members of a trait are those of the class that uses it.
(use_declaration [(name) (qualified_name)] @base)

(function_definition name: (_) @name return_type: (_) @returns)
(method_declaration name: (_) @name return_type: (_) @returns)
(return_statement [(object_creation_expression) (variable_name) (member_access_expression) (member_call_expression)
  (scoped_call_expression) (function_call_expression)] @gives)

(simple_parameter type: (_) @typed name: (variable_name) @variable)
(variadic_parameter type: (_) @typed name: (variable_name) @variable)
(property_promotion_parameter type: (_)? @typed name: (variable_name) @variable)
(property_promotion_parameter type: (_) @typed name: (variable_name (name) @member))
(property_declaration type: (_) @typed (property_element name: (variable_name (name) @member)))
(assignment_expression left: (variable_name) @variable
  right: [(object_creation_expression) (variable_name) (member_access_expression) (member_call_expression)
    (nullsafe_member_call_expression) (scoped_call_expression) (function_call_expression) (clone_expression)] @value)
((assignment_expression left: (member_access_expression object: (variable_name) @_this name: (name) @member)
  right: [(object_creation_expression) (variable_name) (member_access_expression) (member_call_expression)
    (nullsafe_member_call_expression) (scoped_call_expression) (function_call_expression) (clone_expression)] @value)
  (#eq? @_this "$this"))
(foreach_statement . (_) @items . (variable_name) @variable)
(foreach_statement . (_) @items . (pair (_) (variable_name) @variable .))
(catch_clause type: (_) @typed name: (variable_name)? @variable)

; Types that are named and bind nothing.
(attribute [(name) (qualified_name)] @typed)
(anonymous_class (base_clause (_) @typed))
(anonymous_class (class_interface_clause (_) @typed))
(class_constant_access_expression . [(name) (qualified_name)] @typed)
(binary_expression operator: "instanceof" right: [(name) (qualified_name)] @typed)
(anonymous_function return_type: (_) @typed)
(arrow_function return_type: (_) @typed)
