(line_comment) @comment
(bracket_comment) @comment

(function_def (function_command (argument_list . (argument) @name)) (body) @body) @function
(macro_def (macro_command (argument_list . (argument) @name)) (body) @body) @macro

((normal_command (identifier) @_does (argument_list . (argument) @name)) @module
  (#match? @_does "^(?i)(project|add_library|add_executable|add_custom_target)$"))
((source_file (normal_command (identifier) @_does (argument_list . (argument) @name)) @constant)
  (#match? @_does "^(?i)(set|option|list|define_property)$") (#not-match? @name "^(?i)(append|prepend|remove|sort|filter|transform|insert|length|get|find|join|sublist|reverse|remove_[a-z]+|pop_[a-z]+|target|global|directory|property|source|test|variable)$"))
