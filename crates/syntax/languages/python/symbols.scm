(comment) @comment
(decorator) @lead
(decorated_definition) @wrap

(class_definition name: (_) @name body: (_) @body) @class
(function_definition name: (_) @name body: (_) @body) @function

(class_definition body: (block . (expression_statement (string (string_content) @docstring))) @body)
(function_definition body: (block . (expression_statement (string (string_content) @docstring))) @body)

(module (expression_statement (assignment left: (identifier) @name) @constant))
(type_alias_statement left: (type (identifier) @name)) @type
(type_alias_statement left: (type (generic_type (identifier) @name))) @type
