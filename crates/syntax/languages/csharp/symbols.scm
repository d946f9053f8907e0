(comment) @comment
(attribute_list) @lead

; The namespace of a whole file is its package, not a symbol of it.
(declaration_list (namespace_declaration name: (_) @name body: (_) @body) @module)
(class_declaration name: (_) @name body: (_)? @body) @class
(struct_declaration name: (_) @name body: (_)? @body) @struct
(record_declaration name: (_) @name body: (_)? @body) @struct
(interface_declaration name: (_) @name body: (_)? @body) @interface
(enum_declaration name: (_) @name body: (_)? @body) @enum
(enum_member_declaration name: (_) @name) @constant
(delegate_declaration name: (_) @name) @type

; An extension belongs to the type it extends, wherever that type stands.
((method_declaration name: (_) @name parameters: (parameter_list . (parameter (modifier) @_this type: [
  (identifier) @owner (predefined_type) @owner (generic_name (identifier) @owner)
  (qualified_name name: (identifier) @owner) (nullable_type type: (identifier) @owner)])) body: (_)? @body) @method
  (#eq? @_this "this"))
(method_declaration name: (_) @name body: (_)? @body) @method
(constructor_declaration name: (_) @name
  [(constructor_initializer) (block) (arrow_expression_clause)]? @body) @method
(destructor_declaration name: (_) @name body: (_)? @body) @method
(operator_declaration operator: _ @name body: (_)? @body) @method
(conversion_operator_declaration type: (_) @name body: (_)? @body) @method
(local_function_statement name: (_) @name body: (_)? @body) @function

(property_declaration name: (_) @name [(accessor_list) (arrow_expression_clause)]? @body) @field
(indexer_declaration "this" @name [(accessor_list) (arrow_expression_clause)]? @body) @field
(event_declaration name: (_) @name (accessor_list)? @body) @field
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field

; Of the fields, constants and those that other files may reach by name.
((field_declaration (modifier) @_const (variable_declaration (variable_declarator name: (identifier) @name))) @constant
  (#eq? @_const "const"))
((field_declaration (modifier) @_static (modifier) @_readonly
  (variable_declaration (variable_declarator name: (identifier) @name))) @constant
  (#eq? @_static "static") (#eq? @_readonly "readonly"))
((field_declaration (modifier) @_open (variable_declaration (variable_declarator name: (identifier) @name))) @field
  (#any-of? @_open "public" "protected" "internal"))
