(import_statement (import_clause (identifier) @alias @default) source: (_) @from)
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (_) @from)
(import_statement (import_clause (named_imports (import_specifier name: (_) @imported !alias))) source: (_) @from)
(import_statement (import_clause (named_imports (import_specifier name: (_) @imported alias: (_) @alias))) source: (_) @from)

(export_statement "*" @all source: (_) @from) @export
(export_statement (namespace_export (_) @alias) source: (_) @from) @export
(export_statement (export_clause (export_specifier name: (_) @imported !alias)) source: (_) @from) @export
(export_statement (export_clause (export_specifier name: (_) @imported alias: (_) @alias)) source: (_) @from) @export
(export_statement (export_clause (export_specifier name: (_) @imported !alias)) !source) @export
(export_statement (export_clause (export_specifier name: (_) @imported alias: (_) @alias)) !source) @export
(export_statement "default" @alias value: (identifier) @imported) @export
(export_statement "default" @alias declaration: (function_declaration name: (_) @imported)) @export
(export_statement "default" @alias declaration: (class_declaration name: (_) @imported)) @export
; What a file offers as one object, it offers by the names in it.
(export_statement value: (object (shorthand_property_identifier) @imported)) @export
(export_statement value: (object (pair key: (property_identifier) @alias value: (identifier) @imported))) @export

((variable_declarator name: (identifier) @alias value: (call_expression
  function: (identifier) @_require arguments: (arguments . (string) @from))) (#eq? @_require "require"))
((variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @imported) value: (call_expression
  function: (identifier) @_require arguments: (arguments . (string) @from))) (#eq? @_require "require"))
((variable_declarator name: (object_pattern (pair_pattern key: (_) @imported value: (identifier) @alias))
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @from)))
  (#eq? @_require "require"))
((variable_declarator name: (identifier) @alias value: (member_expression object: (call_expression
  function: (identifier) @_require arguments: (arguments . (string) @from)) property: (_) @imported))
  (#eq? @_require "require"))
; import("./a") anywhere
(call_expression function: (import) arguments: (arguments . (string) @from)) @dynamic

; Variables, also those that only hide what has the same name outside.
(variable_declarator name: (identifier) @variable !value)
(variable_declarator name: (identifier) @variable value: (_) @value)
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @variable @picked) value: (_) @value)
(variable_declarator name: (object_pattern (object_assignment_pattern
  left: (shorthand_property_identifier_pattern) @variable @picked)) value: (_) @value)
(variable_declarator name: (object_pattern (pair_pattern key: (_) @picked value: (identifier) @variable)) value: (_) @value)
(variable_declarator name: (object_pattern (rest_pattern (identifier) @variable)))
(variable_declarator name: (array_pattern (identifier) @variable))
(assignment_expression left: (identifier) @variable right: (_) @value)
(for_in_statement left: (identifier) @variable operator: "of" right: (_) @items) @reach
(for_in_statement left: (identifier) @variable operator: "in") @reach
(for_in_statement left: (array_pattern (identifier) @variable)) @reach
(for_in_statement left: (object_pattern (shorthand_property_identifier_pattern) @variable)) @reach
(catch_clause parameter: (identifier) @variable) @reach
(arrow_function parameter: (identifier) @variable) @reach
; What works on the items of something is given one of them.
((call_expression function: (member_expression object: (_) @items property: (_) @_method)
  arguments: (arguments . (arrow_function parameter: (identifier) @variable) @reach))
  (#any-of? @_method "map" "forEach" "filter" "find" "findIndex" "some" "every" "flatMap" "findLast"))
(if_statement condition: (parenthesized_expression (binary_expression
  left: (identifier) @variable operator: "instanceof" right: (_) @typed)) consequence: (_) @reach)

(assignment_expression left: (member_expression object: (this) property: (_) @member) right: (_) @value)
; An object of the whole file has what it is made of.
(program (_ (variable_declarator value: (object (pair key: (property_identifier) @member
  value: [(identifier) (call_expression) (new_expression) (member_expression)] @value)))))
(program (_ (variable_declarator value: (object (shorthand_property_identifier) @member @value))))
(program (export_statement (_ (variable_declarator value: (object (pair key: (property_identifier) @member
  value: [(identifier) (call_expression) (new_expression) (member_expression)] @value))))))
(program (export_statement (_ (variable_declarator value: (object (shorthand_property_identifier) @member @value)))))

; Only what the function itself gives back, not what a function inside of it does.
(function_declaration body: (statement_block (return_statement (_) @gives)))
(method_definition body: (statement_block (return_statement (_) @gives)))
(variable_declarator value: (arrow_function body: (_) @gives))
(variable_declarator value: (arrow_function body: (statement_block (return_statement (_) @gives))))
(variable_declarator value: (function_expression body: (statement_block (return_statement (_) @gives))))
(pair value: (arrow_function body: (_) @gives))
