(import_statement (import_clause (identifier) @alias) source: (_) @from)
(import_statement (import_clause (namespace_import (identifier) @alias)) source: (_) @from)
(import_statement (import_clause (named_imports (import_specifier name: (_) @imported !alias))) source: (_) @from)
(import_statement (import_clause (named_imports (import_specifier name: (_) @imported alias: (_) @alias))) source: (_) @from)

(export_statement "*" @all source: (_) @from) @export
(export_statement (namespace_export (_) @alias) source: (_) @from) @export
(export_statement (export_clause (export_specifier name: (_) @imported !alias)) source: (_) @from) @export
(export_statement (export_clause (export_specifier name: (_) @imported alias: (_) @alias)) source: (_) @from) @export
(export_statement (export_clause (export_specifier name: (_) @imported alias: (_) @alias)) !source) @export
(export_statement "default" @alias value: (identifier) @imported) @export
(export_statement "default" @alias declaration: (function_declaration name: (_) @imported)) @export
(export_statement "default" @alias declaration: (class_declaration name: (_) @imported)) @export

((variable_declarator name: (identifier) @alias value: (call_expression
  function: (identifier) @_require arguments: (arguments . (string) @from))) (#eq? @_require "require"))
((variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @imported) value: (call_expression
  function: (identifier) @_require arguments: (arguments . (string) @from))) (#eq? @_require "require"))
((variable_declarator name: (object_pattern (pair_pattern key: (_) @imported value: (identifier) @alias))
  value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @from)))
  (#eq? @_require "require"))

(variable_declarator name: (identifier) @variable
  value: [(call_expression) (new_expression) (await_expression) (identifier) (member_expression)] @value)
((assignment_expression left: (member_expression object: (this) property: (_) @member)
  right: [(call_expression) (new_expression) (await_expression) (identifier) (member_expression)] @value))

; import("./a") anywhere
(call_expression function: (import) arguments: (arguments . (string) @from)) @dynamic
