(comment) @comment

; The parameters stand inside of the braces, and are part of what it takes to call it.
(function_statement (function_name) @name (script_block (param_block) . (_) @body)) @function
(function_statement (function_name) @name "{" @body) @function

; Help may stand first in the braces.
((function_statement "{" . (comment) @docstring (script_block (param_block) . (_) @body)) (#match? @docstring "^<#"))
((function_statement "{" @body . (comment) @docstring) (#match? @docstring "^<#"))

(class_statement . (simple_name) @name "{" @body) @class
(enum_statement . (simple_name) @name "{" @body) @enum
(class_method_definition (simple_name) @name "{" @body) @method
(class_property_definition (variable) @name) @field

((program (statement_list (pipeline (assignment_expression (left_assignment_expression) @name)) @constant))
  (#match? @name "^\\$([Ss]cript|[Gg]lobal):"))
