(comment) @comment
(pod) @comment

; Without a block, a package goes on to the next one.
(package_statement name: (_) @name (block) @body) @module
((package_statement name: (_) @name) @module (#set! level "1"))
(class_statement name: (_) @name (block) @body) @class
((class_statement name: (_) @name) @class (#set! level "1"))
(role_statement name: (_) @name (block) @body) @trait
((role_statement name: (_) @name) @trait (#set! level "1"))

(subroutine_declaration_statement name: (_) @name body: (_) @body) @function
(subroutine_declaration_statement name: (_) @name) @function
(method_declaration_statement name: (_) @name body: (_) @body) @method

; my $name = sub { … }, *name = sub { … }
(assignment_expression left: (variable_declaration variable: (scalar (varname) @name))
  right: (_ body: (_) @body)) @function
(assignment_expression left: (glob (varname) @name) right: (_ body: (_) @body)) @function

; has name => (…)
((ambiguous_function_call_expression function: (function) @_has
  arguments: (list_expression . [(_ content: (_) @name) (autoquoted_bareword) @name])) @field
  (#eq? @_has "has"))
((ambiguous_function_call_expression function: (function) @_has arguments: (_ content: (_) @name)) @field
  (#eq? @_has "has"))

((use_statement module: (package) @_constant (list_expression . (autoquoted_bareword) @name)) @constant
  (#eq? @_constant "constant"))
((use_statement module: (package) @_constant (anonymous_hash_expression (list_expression (autoquoted_bareword) @name))) @constant
  (#eq? @_constant "constant"))
(source_file (expression_statement (assignment_expression left: (variable_declaration "our" variable: (_) @name))) @constant)
(source_file (expression_statement (variable_declaration "our" variables: (_) @name)) @constant)
((source_file (expression_statement (assignment_expression left: (variable_declaration "my" variable: (_) @name))) @constant)
  (#match? @name "^.[A-Z_][A-Z0-9_]*$"))
