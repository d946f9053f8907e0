(line_comment) @comment
(bracket_comment) @comment

(function_def (function_command (argument_list . (argument) @name)) (body) @body) @function
(macro_def (macro_command (argument_list . (argument) @name)) (body) @body) @macro

((normal_command (identifier) @_does (argument_list . (argument) @name)) @module
  (#match? @_does "^(?i)(project|add_library|add_executable|add_custom_target)$"))
; Inside of a function they are its own; a condition or loop makes no scope.
((normal_command (identifier) @_does (argument_list . (argument) @name)) @constant (#match? @_does "^(?i)(set|option)$"))
