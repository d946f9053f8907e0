(comment) @comment
(multiline_comment) @comment
(attribute) @lead

(class_declaration "class" name: (type_identifier) @name body: (_) @body) @class
(class_declaration "actor" name: (type_identifier) @name body: (_) @body) @class
(class_declaration "struct" name: (type_identifier) @name body: (_) @body) @struct
(class_declaration "enum" name: (type_identifier) @name body: (_) @body) @enum
(protocol_declaration name: (_) @name body: (_) @body) @interface
; An extension is no symbol, but it says whose the members are.
(class_declaration "extension" name: (user_type (type_identifier) @owner .) body: (_) @body) @scope
(class_declaration "extension" name: (user_type (type_identifier) @owner . (type_arguments) .) body: (_) @body) @scope
(class_declaration "extension" name: [(array_type) (dictionary_type) (optional_type)] @owner body: (_) @body) @scope
(typealias_declaration . "typealias" . (type_identifier) @name) @type
(typealias_declaration (modifiers) . (type_identifier) @name) @type
(associatedtype_declaration name: (_) @name) @type
(macro_declaration (simple_identifier) @name definition: (_)? @body) @macro

(init_declaration "init" @name body: (_)? @body) @method
(deinit_declaration "deinit" @name body: (_)? @body) @method
(subscript_declaration "subscript" @name (computed_property)? @body) @method
(enum_entry (simple_identifier) @name) @constant

; Properties: of the whole file, of types. What they do is no part of a signature.
(source_file (property_declaration (pattern bound_identifier: (simple_identifier) @name)) @constant)
((property_declaration (modifiers (property_modifier) @_static) (value_binding_pattern mutability: "let")
  (pattern bound_identifier: (simple_identifier) @name)) @constant (#eq? @_static "static"))
(class_body (property_declaration (pattern bound_identifier: (simple_identifier) @name)
  [(computed_property) (willset_didset_block) (lambda_literal)]? @body) @field)
(enum_class_body (property_declaration (pattern bound_identifier: (simple_identifier) @name)
  (computed_property)? @body) @field)
(protocol_property_declaration name: (pattern bound_identifier: (simple_identifier) @name)
  (protocol_property_requirements) @body) @field
