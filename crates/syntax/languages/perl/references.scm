; use parent -norequire, 'Base'
((use_statement module: (package) @_parent [
    (_ content: (_) @base @from)
    (list_expression (_ content: (_) @base @from))])
  (#any-of? @_parent "parent" "base") (#not-match? @base "\\s"))
((ambiguous_function_call_expression function: (function) @_extends arguments: [
    (_ content: (_) @base)
    (list_expression (_ content: (_) @base))])
  (#any-of? @_extends "extends" "with"))
((assignment_expression left: (variable_declaration variable: (array (varname) @_isa)) right: (parenthesized_expression [
    (_ content: (_) @base)
    (list_expression (_ content: (_) @base))]))
  (#eq? @_isa "ISA"))

((use_statement module: (package) @from @all)
  (#not-any-of? @from "strict" "warnings" "utf8" "feature" "experimental" "constant" "parent" "base" "lib" "vars"
    "integer" "overload" "mro" "open" "autodie" "bytes" "locale" "sigtrap" "subs" "fields"))
(expression_statement (require_expression (bareword) @from))
(expression_statement (require_expression (_ content: (_) @from))) @dynamic

; \&name
(refgen_expression (function) @called)

(assignment_expression left: (variable_declaration variable: (scalar (varname) @variable))
  right: [(method_call_expression) (function_call_expression) (scalar)] @value)
((assignment_expression left: (hash_element_expression . (scalar (varname) @_self) key: (_) @member)
  right: [(method_call_expression) (function_call_expression) (scalar)] @value)
  (#eq? @_self "self"))
