(implementation_definition) @wrap

; What a class is made of stands in it without a body around it, so the signature ends at the first member.
(class_interface . (identifier) @name superclass: (_)
  [(instance_variables) (property_declaration) (method_declaration)] @body) @class
(class_interface . (identifier) @name superclass: (_) "@end" @body) @class
(protocol_declaration . (identifier) @name
  [(property_declaration) (method_declaration) (qualified_protocol_interface_declaration)] @body) @interface
(protocol_declaration . (identifier) @name "@end" @body) @interface

; A category, an extension, an implementation: no symbol, but its members are those of the class.
(class_interface . (identifier) @owner !superclass) @scope
(class_implementation . (identifier) @owner) @scope

; A selector is called by its first word.
(method_declaration) @method @name
(method_definition (compound_statement) @body) @method @name
(property_declaration (struct_declaration (struct_declarator) @name)) @field
