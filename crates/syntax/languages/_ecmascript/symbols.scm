; What JavaScript and TypeScript say in the same words. Their own files add the rest.

(comment) @comment
(decorator) @lead
(export_statement) @wrap
(lexical_declaration) @wrap
(variable_declaration) @wrap

(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @class
(method_definition name: (string (string_fragment) @name) body: (_) @body) @method
(method_definition
  name: [(property_identifier) (private_property_identifier) (number) (computed_property_name)] @name
  body: (_) @body) @method

; const f = () => …
(variable_declarator name: (identifier) @name value: (arrow_function body: (_) @body)) @function
(variable_declarator name: (identifier) @name value: (function_expression body: (_) @body)) @function
(variable_declarator name: (identifier) @name value: (generator_function body: (_) @body)) @function
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class

; Values of the whole file. An object's methods are its members, so its braces count as a body.
(program (_ (variable_declarator name: (identifier) @name value: (object) @body) @constant))
(program (export_statement (_ (variable_declarator name: (identifier) @name value: (object) @body) @constant)))
(program (_ (variable_declarator name: (identifier) @name !value) @constant))
((program (_ (variable_declarator name: (identifier) @name value: (_) @_value) @constant))
  (#not-match? @_value "^(await\\s+)?(require|import)\\b"))
(program (export_statement (_ (variable_declarator name: (identifier) @name) @constant)))

; { f: () => … }
(pair key: (string (string_fragment) @name)
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
(pair key: [(property_identifier) (private_property_identifier) (number)] @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method

; Functions that are handed on, where they have a name of their own.
(arguments (function_expression name: (_) @name body: (_) @body) @function)
(array (function_expression name: (_) @name body: (_) @body) @function)
(return_statement (function_expression name: (_) @name body: (_) @body) @function)
(export_statement "default" @name value: (function_expression !name body: (_) @body) @function)

; Owner.prototype.f = …, owner.f = …, this.f = …, a.b.f = …
((assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @owner property: (_) @_prototype) property: (_) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
  (#eq? @_prototype "prototype"))
((assignment_expression
  left: (member_expression object: (identifier) @owner property: (_) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
  (#not-any-of? @owner "exports" "module"))
(assignment_expression
  left: (member_expression object: (this) property: (_) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
((assignment_expression
  left: (member_expression object: (member_expression) @_object property: (_) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method
  (#not-eq? @_object "module.exports"))
