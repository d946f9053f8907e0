((function_call name: (identifier) @_require arguments: (arguments . (string content: (_) @from))) (#eq? @_require "require"))
((function_call name: (identifier) @_dofile arguments: (arguments . (string content: (_) @from))) @dynamic
  (#any-of? @_dofile "dofile" "loadfile"))
((function_call name: (identifier) @_pcall
  arguments: (arguments . (identifier) @_require . (string content: (_) @from))) @dynamic
  (#eq? @_pcall "pcall") (#eq? @_require "require"))
((assignment_statement (variable_list . (identifier) . (identifier) @alias .) (expression_list . value: (function_call
  name: (identifier) @_pcall arguments: (arguments . (identifier) @_require . (string content: (_) @from))) .)) @dynamic
  (#eq? @_pcall "pcall") (#eq? @_require "require"))
((assignment_statement (variable_list . name: (identifier) @alias .) (expression_list . value: (function_call
  name: (identifier) @_require arguments: (arguments . (string content: (_) @from))) .))
  (#eq? @_require "require"))
((assignment_statement (variable_list . name: (identifier) @alias .) (expression_list . value: (dot_index_expression
  table: (function_call name: (identifier) @_require arguments: (arguments . (string content: (_) @from)))
  field: (_) @imported) .))
  (#eq? @_require "require"))

; What the file is to those that require it: one of its values, or a table of them.
(chunk (return_statement "return" @alias (expression_list . (identifier) @imported .)) @export)
(chunk (return_statement (expression_list . (table_constructor (field name: (identifier) @alias value: (identifier) @imported)))) @export)
((chunk (return_statement "return" @alias (expression_list . (function_call name: (identifier) @_set
  arguments: (arguments . (identifier) @imported)))) @export) (#eq? @_set "setmetatable"))

((assignment_statement (variable_list . name: [(identifier) (dot_index_expression)] .)
  (expression_list . value: (function_call name: (identifier) @_class
    arguments: (arguments (string)? . [(identifier) (dot_index_expression)] @base .))))
  (#any-of? @_class "class" "Class"))
((assignment_statement (variable_list . name: [(identifier) (dot_index_expression)] .) (expression_list . value: (function_call
  name: (method_index_expression table: (_) @base method: (_) @_extend))))
  (#any-of? @_extend "extend" "subclass"))
((assignment_statement (variable_list . name: (identifier) .) (expression_list . value: (function_call
  name: (identifier) @_set arguments: (arguments . (table_constructor) . (table_constructor (field name: (identifier) @_index
    value: [(identifier) (dot_index_expression)] @base))))))
  (#eq? @_set "setmetatable") (#eq? @_index "__index"))

((assignment_statement (variable_list . name: (identifier) @variable .)
  (expression_list . value: [(function_call) (identifier) (dot_index_expression)] @value .))
  (#not-match? @value "^(require|pcall|setmetatable|class|Class)\\b"))
((assignment_statement (variable_list . name: (dot_index_expression table: (identifier) @_self field: (_) @member) .)
  (expression_list . value: [(function_call) (identifier) (dot_index_expression)] @value .))
  (#eq? @_self "self"))
((assignment_statement (variable_list . name: (identifier) @variable .) (expression_list . value: (function_call
  name: (identifier) @_set arguments: (arguments . (_) . (identifier) @typed)) .))
  (#eq? @_set "setmetatable"))
