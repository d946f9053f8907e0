((variable_declaration ("pub" @export)? "const" . (identifier) @alias
  (builtin_function (builtin_identifier) @_import (arguments (string) @from))) (#eq? @_import "@import"))
((variable_declaration ("pub" @export)? "const" . (identifier) @alias (field_expression
  object: (builtin_function (builtin_identifier) @_import (arguments (string) @from)) member: (_) @imported))
  (#eq? @_import "@import"))
; const T = @import("a.zig").b.T;
((variable_declaration ("pub" @export)? "const" . (identifier) @alias (field_expression
  object: (field_expression object: (builtin_function (builtin_identifier) @_import (arguments (string) @from)))
  member: (_) @imported)) (#eq? @_import "@import"))
; _ = @import("a.zig");
((variable_declaration . (identifier) @_nobody
  (builtin_function (builtin_identifier) @_import (arguments (string) @from)))
  (#eq? @_nobody "_") (#eq? @_import "@import"))
((using_namespace_declaration
  (builtin_function (builtin_identifier) @_import (arguments (string) @from))) @all (#eq? @_import "@import"))

(function_declaration name: (_) @name type: (_) @returns)
(parameter name: (identifier) @variable type: (_) @typed)
(container_field name: (identifier) @member type: (_) @typed)
(variable_declaration . (identifier) @variable type: (_) @typed)
((variable_declaration . (identifier) @variable (builtin_function (builtin_identifier) @value)) (#eq? @value "@This"))
(variable_declaration . (identifier) @variable
  [(call_expression) (try_expression) (catch_expression) (struct_initializer) (identifier) (unary_expression)] @value .)
; Not of what is taken from another file: an import says what that is.
(variable_declaration . (identifier) @variable (field_expression object: (identifier)) @value .)
(variable_declaration . (identifier) @variable (field_expression object: (field_expression object: (identifier))) @value .)
(variable_declaration . (identifier) @variable (binary_expression left: (call_expression) @value) .)
(if_statement condition: (_) @value (payload . (identifier) @variable)) @reach
(while_statement condition: (_) @value (payload . (identifier) @variable)) @reach
(for_statement . (_) @items (payload . (identifier) @variable)) @reach
