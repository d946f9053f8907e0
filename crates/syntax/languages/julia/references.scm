; using M, import M, import M: a, b as c
(using_statement [(identifier) (scoped_identifier) (import_path)] @from) @all
(import_statement [(identifier) (scoped_identifier) (import_path)] @from)
(import_statement (import_alias . (_) @from . (_) @alias))
(using_statement (selected_import . (_) @from [(identifier) (operator) (macro_identifier)] @imported))
(import_statement (selected_import . (_) @from [(identifier) (operator) (macro_identifier)] @imported))
(using_statement (selected_import . (_) @from (import_alias . (_) @imported . (_) @alias)))
(import_statement (selected_import . (_) @from (import_alias . (_) @imported . (_) @alias)))
((call_expression . (identifier) @_include (argument_list . (string_literal (content) @from) .)) @all (#eq? @_include "include"))

(type_head (binary_expression (operator) . (_) @base))

(signature (typed_expression . (call_expression . (identifier) @name) . (_) @returns))
(signature (where_expression . (typed_expression . (call_expression . (identifier) @name) . (_) @returns)))

(signature (call_expression (argument_list (identifier) @variable)))
(assignment . (call_expression (argument_list (identifier) @variable)))
(argument_list (typed_expression . (identifier) @variable . (_) @typed))
(named_argument . (typed_expression . (identifier) @variable . (_) @typed))
(struct_definition (typed_expression . (identifier) @member . (_) @typed))
(struct_definition (assignment . (typed_expression . (identifier) @member . (_) @typed)))
(assignment . (identifier) @variable (operator) . (call_expression) @value)

(macrocall_expression (macro_identifier (identifier) @called))
; x |> f
((binary_expression (operator) @_pipe . [(identifier) (field_expression)] @called) (#any-of? @_pipe "|>" ".|>" "∘"))
