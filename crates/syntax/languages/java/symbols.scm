(line_comment) @comment
(block_comment) @comment
(annotation) @lead
(marker_annotation) @lead

(module_declaration name: (_) @name body: (_) @body) @module
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(annotation_type_declaration name: (_) @name body: (_) @body) @interface
(enum_declaration name: (_) @name body: (_) @body) @enum
(record_declaration name: (_) @name body: (_) @body) @struct

(method_declaration name: (_) @name body: (_) @body) @method
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name body: (_) @body) @method
(compact_constructor_declaration name: (_) @name body: (_) @body) @method
(annotation_type_element_declaration name: (_) @name) @method

; A constant with a body has methods of its own.
(enum_constant name: (_) @name body: (_) @body) @constant
(enum_constant name: (_) @name) @constant

; Of the fields, constants and those that other files may reach by name. What a value defines is no part of a signature.
(constant_declaration declarator: (variable_declarator name: (identifier) @name value: [
  (object_creation_expression (class_body) @body) (lambda_expression body: (block) @body)
  (method_invocation object: (object_creation_expression (class_body) @body))])) @constant
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
((field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (identifier) @name value: [
  (object_creation_expression (class_body) @body) (lambda_expression body: (block) @body)
  (method_invocation object: (object_creation_expression (class_body) @body))])) @constant
  (#match? @_modifiers "static") (#match? @_modifiers "final"))
((field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (identifier) @name)) @constant
  (#match? @_modifiers "static") (#match? @_modifiers "final"))
((field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (identifier) @name)) @field
  (#not-match? @_modifiers "private"))
(field_declaration . type: (_) declarator: (variable_declarator name: (identifier) @name)) @field
