(comment) @comment

; A function that makes a type is that type to everyone who uses it.
((function_declaration name: (_) @name type: (builtin_type) @_type body: (_) @body) @struct (#eq? @_type "type"))
(function_declaration name: (_) @name body: (_) @body) @function
(function_declaration name: (_) @name) @function

(variable_declaration "const" . (identifier) @name (struct_declaration "{" @body)) @struct
(variable_declaration "const" . (identifier) @name (union_declaration "{" @body)) @struct
(variable_declaration "const" . (identifier) @name (opaque_declaration "{" @body)) @struct
(variable_declaration "const" . (identifier) @name (enum_declaration "{" @body)) @enum
(variable_declaration "const" . (identifier) @name (error_set_declaration "{" @body)) @enum

(test_declaration (string (string_content) @name) (block) @body) @function
(test_declaration (identifier) @name (block) @body) @function

; Not what is taken from another file, nor the container's name for itself.
((variable_declaration "const" . (identifier) @name (_) @_value .) @constant
  (#not-match? @_value "^@(import|This)\\b"))
(variable_declaration "var" . (identifier) @name) @constant
