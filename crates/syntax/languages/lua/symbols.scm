(comment) @comment
(variable_declaration) @wrap

(function_declaration name: (identifier) @name body: (_) @body) @function
(function_declaration name: (identifier) @name !body "end" @body) @function
(function_declaration name: (dot_index_expression table: (_) @owner field: (_) @name) body: (_) @body) @method
(function_declaration name: (dot_index_expression table: (_) @owner field: (_) @name) !body "end" @body) @method
(function_declaration name: (method_index_expression table: (_) @owner method: (_) @name) body: (_) @body) @method
(function_declaration name: (method_index_expression table: (_) @owner method: (_) @name) !body "end" @body) @method

; name = function … end, owner.name = function … end, owner["name"] = function … end
(assignment_statement (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition body: (_) @body))) @function
(assignment_statement (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition !body "end" @body))) @function
((assignment_statement (variable_list . name: (dot_index_expression table: (_) @owner field: (_) @name) .)
  (expression_list . value: (function_definition body: (_) @body))) @method
  (#not-eq? @owner "self"))
((assignment_statement (variable_list . name: (dot_index_expression table: (_) @owner field: (_) @name) .)
  (expression_list . value: (function_definition !body "end" @body))) @method
  (#not-eq? @owner "self"))
((assignment_statement (variable_list . name: (bracket_index_expression table: (_) @owner field: (string content: (_) @name)) .)
  (expression_list . value: (function_definition body: (_) @body))) @method
  (#not-eq? @owner "self"))
((assignment_statement (variable_list . name: (dot_index_expression table: (_) @_self field: (_) @name) .)
  (expression_list . value: (function_definition body: (_) @body))) @method
  (#eq? @_self "self"))
((assignment_statement (variable_list . name: (dot_index_expression table: (_) @_self field: (_) @name) .)
  (expression_list . value: (function_definition !body "end" @body))) @method
  (#eq? @_self "self"))

; { name = function … end, ["name"] = function … end }
(field name: (identifier) @name value: (function_definition body: (_) @body)) @function
(field name: (identifier) @name value: (function_definition !body "end" @body)) @function
(field name: (string content: (_) @name) value: (function_definition body: (_) @body)) @function
(field name: (string content: (_) @name) value: (function_definition !body "end" @body)) @function

; Classes, as far as something is called that makes one
((chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_call name: (identifier) @_class))) @class))
  (#any-of? @_class "class" "Class"))
((chunk (assignment_statement (variable_list . name: [(identifier) @name (dot_index_expression table: (_) @owner field: (_) @name)] .)
  (expression_list . value: (function_call name: (identifier) @_class))) @class)
  (#any-of? @_class "class" "Class"))
((chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_call name: (method_index_expression method: (_) @_extend)))) @class))
  (#any-of? @_extend "extend" "subclass"))
((chunk (assignment_statement (variable_list . name: [(identifier) @name (dot_index_expression table: (_) @owner field: (_) @name)] .)
  (expression_list . value: (function_call name: (method_index_expression method: (_) @_extend)))) @class)
  (#any-of? @_extend "extend" "subclass"))
((chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_call name: (identifier) @_set
    arguments: (arguments . (table_constructor) . (table_constructor (field name: (identifier) @_index)))))) @class))
  (#eq? @_set "setmetatable") (#eq? @_index "__index"))

; Values of the whole file, but not what it takes from others
((chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name)
  (expression_list value: (_) @_value)) @constant))
  (#not-match? @_value "^(require|pcall)\\b"))
((chunk (assignment_statement (variable_list name: (identifier) @name) (expression_list value: (_) @_value)) @constant)
  (#not-match? @_value "^(require|pcall)\\b"))
((chunk (assignment_statement (variable_list name: (dot_index_expression table: (_) @owner field: (identifier) @name))) @constant)
  (#not-match? @name "^__"))
