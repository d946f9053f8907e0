(comment) @comment
(export_directive) @wrap
(override_directive) @wrap

; .PHONY and the like tell make something; they are no targets.
((rule (targets (word) @name) (recipe) @body) @function (#not-match? @name "^\\.[A-Z_]+$"))
((rule (targets (word) @name)) @function (#not-match? @name "^\\.[A-Z_]+$"))
(rule (targets [(variable_reference) (concatenation)] @name) (recipe) @body) @function
(rule (targets [(variable_reference) (concatenation)] @name)) @function

((variable_assignment !target_or_pattern name: (word) @name) @constant (#not-match? @name "^\\."))
(shell_assignment name: (word) @name) @constant
(define_directive name: (word) @name value: (_) @body) @macro
(define_directive name: (word) @name) @macro
