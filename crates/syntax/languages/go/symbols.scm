(comment) @comment
(type_declaration) @wrap
(const_declaration) @wrap
(var_declaration) @wrap

(function_declaration name: (_) @name body: (_) @body) @function
(function_declaration name: (_) @name) @function

(type_spec name: (_) @name type: (struct_type (field_declaration_list) @body)) @struct
(type_spec name: (_) @name type: (interface_type "{" @body)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(method_elem name: (_) @name) @method

; A method belongs to its receiver's type, wherever in the package that type stands.
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (pointer_type (type_identifier) @owner)
    (generic_type type: (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))]))
  name: (_) @name
  body: (_) @body) @method
(method_declaration
  receiver: (parameter_list (parameter_declaration type: [
    (type_identifier) @owner
    (pointer_type (type_identifier) @owner)
    (generic_type type: (type_identifier) @owner)
    (pointer_type (generic_type type: (type_identifier) @owner))]))
  name: (_) @name) @method

((source_file (const_declaration (const_spec name: (identifier) @name) @constant)) (#not-eq? @name "_"))
((source_file (var_declaration (var_spec name: (identifier) @name) @constant)) (#not-eq? @name "_"))
((source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @constant))) (#not-eq? @name "_"))
