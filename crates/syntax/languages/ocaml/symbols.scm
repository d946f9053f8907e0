; What only implementations have.
(value_definition) @wrap

(module_binding (module_name) @name module_type: (signature) @body) @module
(module_binding (module_name) @name body: (structure) @body) @module
(module_binding (module_name) @name body: (functor body: (structure) @body)) @module

(let_binding pattern: (value_name) @name (parameter) body: (_) @body) @function
(let_binding pattern: (value_name) @name body: (fun_expression) @body) @function
(let_binding pattern: (value_name) @name body: (function_expression) @body) @function
(let_binding pattern: (parenthesized_operator (_) @name) body: (_) @body) @function
; Values only at the top of a file or module; others are variables. What is a literal is told with its value.
(compilation_unit (value_definition (let_binding pattern: (value_name) @name
  body: [(number) (string) (character) (boolean)]) @constant))
(structure (value_definition (let_binding pattern: (value_name) @name
  body: [(number) (string) (character) (boolean)]) @constant))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name body: (_) @body) @constant))
(structure (value_definition (let_binding pattern: (value_name) @name body: (_) @body) @constant))

(class_binding (class_name) @name body: (_) @body) @class
(method_definition (method_name) @name body: (_) @body) @method
(method_definition (method_name) @name) @method
(instance_variable_definition (instance_variable_name) @name) @field
