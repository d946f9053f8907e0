(comment) @comment

(function_definition name: (word) @name body: (_) @body) @function

; Values of the whole file: those that are declared, and by custom those in capitals.
(program (declaration_command (variable_assignment name: (variable_name) @name)) @constant)
((program (variable_assignment name: (variable_name) @name "=") @constant) (#match? @name "^[A-Z_][A-Z0-9_]*$"))
((program (variable_assignments (variable_assignment name: (variable_name) @name)) @constant)
  (#match? @name "^[A-Z_][A-Z0-9_]*$"))

((command name: (command_name) @_alias . argument: (concatenation . (word) @name)) @function (#eq? @_alias "alias"))
