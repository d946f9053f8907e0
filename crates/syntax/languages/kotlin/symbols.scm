(line_comment) @comment
(block_comment) @comment
(annotation) @lead

; Some bodies on one line are taken for those of an enum.
(class_declaration "interface" name: (_) @name [(class_body) (enum_class_body)]? @body) @interface
(class_declaration name: (_) @name (enum_class_body) @body) @enum
; class A : B by b { … }, where the body is taken for an argument of b
(class_declaration name: (_) @name (delegation_specifiers (delegation_specifier (explicit_delegation
  (call_expression (annotated_lambda) @body)) .) .)) @class
(class_declaration name: (_) @name (class_body)? @body) @class
(object_declaration name: (_) @name (class_body)? @body) @class
; The members of a companion without a name are reached like the class's own.
(companion_object name: (_) @name (class_body)? @body) @class
(type_alias type: (_) @name) @type
; Below an annotation the grammar may take `open class Name` for an operator between two names.
(annotated_expression) @wrap
((infix_expression (infix_expression (identifier) . (identifier) @_class . (identifier) @name) . (identifier) @body)
  @class @uncalled (#any-of? @_class "class" "interface" "object"))
((infix_expression (identifier) . (identifier) @_class . (identifier) @name) @class @uncalled
  (#any-of? @_class "class" "interface" "object"))

; An extension belongs to the type it extends, wherever that type stands.
(function_declaration (user_type (identifier) @owner . (type_arguments)? .) . name: (_) @name (function_body)? @body)
  @method
(function_declaration (nullable_type (user_type (identifier) @owner . (type_arguments)? .)) . name: (_) @name
  (function_body)? @body) @method
; The members of an object without a name, and of a constant.
(object_literal (class_body (function_declaration name: (_) @name (function_body)? @body) @method))
(enum_entry (class_body (function_declaration name: (_) @name (function_body)? @body) @method))
(function_declaration name: (_) @name (function_body)? @body) @function
(secondary_constructor "constructor" @name [(constructor_delegation_call) (block)]? @body) @method

(enum_entry (identifier) @name (class_body)? @body) @constant

; Properties: of the whole file, of types. What an accessor or a value does is no part of a signature.
((property_declaration (modifiers (property_modifier) @_const) (variable_declaration (identifier) @name)) @constant
  (#eq? @_const "const"))
(source_file (property_declaration (user_type (identifier) @owner . (type_arguments)? .)
  . (variable_declaration (identifier) @name) (getter)? @body) @field)
(source_file (property_declaration (nullable_type (user_type (identifier) @owner . (type_arguments)? .))
  . (variable_declaration (identifier) @name) (getter)? @body) @field)
(source_file (property_declaration (variable_declaration (identifier) @name) [
  (getter) @body (setter) @body (property_delegate (call_expression (annotated_lambda) @body))
  (call_expression (annotated_lambda) @body) (object_literal (class_body) @body) (lambda_literal) @body]?) @constant)
(class_body (property_declaration (variable_declaration (identifier) @name) [
  (getter) @body (setter) @body (property_delegate (call_expression (annotated_lambda) @body))
  (call_expression (annotated_lambda) @body) (object_literal (class_body) @body) (lambda_literal) @body]?) @field)
(enum_class_body (property_declaration (variable_declaration (identifier) @name) (getter)? @body) @field)
; An extension property whose name the grammar takes for a part of the type.
(class_body (property_declaration (user_type (identifier) @owner . (identifier) @name .) . (variable_declaration)
  (getter) @body) @field)
