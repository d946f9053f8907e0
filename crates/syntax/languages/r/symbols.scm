(comment) @comment

(binary_operator lhs: (identifier) @name operator: ["<-" "=" "<<-"] rhs: (function_definition body: (_) @body)) @function
(binary_operator lhs: (string content: (_) @name) operator: ["<-" "="] rhs: (function_definition body: (_) @body)) @function

; Classes of R6 and of reference classes, with the functions in their lists.
((binary_operator lhs: (identifier) @name rhs: (call
    function: [(identifier) @_make (namespace_operator rhs: (identifier) @_make)]
    arguments: (arguments . (argument) . (comma) @body))) @class
  (#any-of? @_make "R6Class" "setRefClass" "setClass" "ggproto" "new_class"))
((argument name: (identifier) @_part value: (call arguments: (arguments
    argument: (argument name: (identifier) @name value: (function_definition body: (_) @body)) @function)))
  (#any-of? @_part "public" "private" "active" "methods"))
((argument name: (identifier) @_part value: (call function: (identifier) @_list arguments: (arguments
    argument: (argument name: (identifier) @name value: [(null) (string) (float) (integer) (true) (false)]) @field)))
  (#any-of? @_part "public" "private" "fields") (#eq? @_list "list"))
; Classes and methods of S4.
((program (call function: (identifier) @_make arguments: (arguments .
    argument: (argument value: (string content: (_) @name)) . (comma) @body)) @class)
  (#any-of? @_make "setClass" "setRefClass" "setClassUnion"))
((call function: (identifier) @_make arguments: (arguments . argument: (argument value: (string content: (_) @name)))) @function
  (#eq? @_make "setGeneric"))
((call function: (identifier) @_make arguments: (arguments .
    argument: (argument value: (string content: (_) @name)) .
    (comma) . argument: (argument value: [(string content: (_) @owner)
      (call arguments: (arguments . argument: (argument value: (string content: (_) @owner))))])
    argument: (argument value: (function_definition body: (_) @body)))) @method
  (#any-of? @_make "setMethod" "setReplaceMethod"))

(program (binary_operator lhs: (identifier) @name operator: ["<-" "="] rhs: (call arguments: (_) @body)) @constant)
(program (binary_operator lhs: (identifier) @name operator: ["<-" "="]) @constant)
