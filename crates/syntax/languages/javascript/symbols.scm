; A class field that holds a function is a method to everyone who calls it.
(field_definition property: (_) @name value: (arrow_function body: (_) @body)) @method
(field_definition property: (_) @name value: (function_expression body: (_) @body)) @method

; What was written before there were modules and classes; in TypeScript it is too rare to pay for.

; exports.f = …, module.exports.f = …, module.exports = function f …
((assignment_expression
  left: (member_expression object: (_) @_exports property: (_) @name)
  right: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
  (#any-of? @_exports "exports" "module.exports"))
((assignment_expression
  left: (member_expression object: (_) @_exports property: (_) @name)
  right: (class body: (_) @body)) @class
  (#any-of? @_exports "exports" "module.exports"))
((assignment_expression
  left: (member_expression) @_left right: (function_expression name: (_) @name body: (_) @body)) @function
  (#eq? @_left "module.exports"))
((assignment_expression left: (member_expression) @_left right: (class name: (_) @name body: (_) @body)) @class
  (#eq? @_left "module.exports"))
