(import_statement . (string_value) @from)
(import_statement . (call_expression (arguments . (_) @from)))

; var(--name) reads a custom property.
((call_expression (function_name) @_var (arguments . (plain_value) @called)) (#eq? @_var "var"))
