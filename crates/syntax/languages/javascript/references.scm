(class_declaration (class_heritage (_) @base))
(class (class_heritage (_) @base))
(field_definition property: (_) @member value: (_) @value)

(function_declaration parameters: (formal_parameters [
  (identifier) @variable (assignment_pattern left: (identifier) @variable) (rest_pattern (identifier) @variable)
  (object_pattern (shorthand_property_identifier_pattern) @variable) (array_pattern (identifier) @variable)
  (object_pattern (pair_pattern value: (identifier) @variable))])) @reach
(function_expression parameters: (formal_parameters [
  (identifier) @variable (assignment_pattern left: (identifier) @variable) (rest_pattern (identifier) @variable)
  (object_pattern (shorthand_property_identifier_pattern) @variable) (array_pattern (identifier) @variable)
  (object_pattern (pair_pattern value: (identifier) @variable))])) @reach
(arrow_function parameters: (formal_parameters [
  (identifier) @variable (assignment_pattern left: (identifier) @variable) (rest_pattern (identifier) @variable)
  (object_pattern (shorthand_property_identifier_pattern) @variable) (array_pattern (identifier) @variable)
  (object_pattern (pair_pattern value: (identifier) @variable))])) @reach
(method_definition parameters: (formal_parameters [
  (identifier) @variable (assignment_pattern left: (identifier) @variable) (rest_pattern (identifier) @variable)
  (object_pattern (shorthand_property_identifier_pattern) @variable) (array_pattern (identifier) @variable)
  (object_pattern (pair_pattern value: (identifier) @variable))])) @reach
(generator_function_declaration parameters: (formal_parameters (identifier) @variable)) @reach

; What was written before there were modules: module.exports = x, exports.f = x
((assignment_expression left: (member_expression) @alias @export
  right: [(identifier) @imported (function_expression name: (_) @imported) (class name: (_) @imported)])
  (#eq? @alias "module.exports"))
((assignment_expression left: (member_expression) @_left
  right: (object (shorthand_property_identifier) @imported)) @export (#eq? @_left "module.exports"))
((assignment_expression left: (member_expression) @_left
  right: (object (pair key: (property_identifier) @alias value: (identifier) @imported))) @export
  (#eq? @_left "module.exports"))
((assignment_expression left: (member_expression object: (_) @_exports property: (_) @alias)
  right: (identifier) @imported) @export (#any-of? @_exports "exports" "module.exports"))
((assignment_expression left: (member_expression) @alias @export right: (call_expression
  function: (identifier) @_require arguments: (arguments . (string) @from)))
  (#eq? @alias "module.exports") (#eq? @_require "require"))
((assignment_expression left: (member_expression object: (_) @_exports property: (_) @alias) right: (call_expression
  function: (identifier) @_require arguments: (arguments . (string) @from))) @export
  (#any-of? @_exports "exports" "module.exports") (#eq? @_require "require"))

((call_expression function: (member_expression object: (_) @items property: (_) @_method)
  arguments: (arguments . (arrow_function parameters: (formal_parameters . (identifier) @variable)) @reach))
  (#any-of? @_method "map" "forEach" "filter" "find" "findIndex" "some" "every" "flatMap" "findLast"))
