; What JavaScript and TypeScript say in the same words. Their own files add the rest.

(comment) @comment
(decorator) @lead
(export_statement) @wrap
(lexical_declaration) @wrap
(variable_declaration) @wrap

(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(class_declaration name: (_) @name body: (_) @body) @class
(method_definition name: (_) @name body: (_) @body) @method

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

; const o = { f: () => … }, export default { f: () => … }
(program (_ (variable_declarator value: (object
  (pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method))))
(program (export_statement (_ (variable_declarator value: (object
  (pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method)))))
(export_statement value: (object
  (pair key: (_) @name value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @method))
