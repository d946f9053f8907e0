(module_attribute name: (_) @package)
(import_attribute module: (_) @from funs: (fa fun: (_) @imported))
(pp_include file: (_) @from) @all
(pp_include_lib file: (_) @from) @all
(behaviour_attribute name: (_) @implements)

; Types are written like calls.
(spec) @uncalled
(callback) @uncalled
(type_alias) @uncalled
(opaque) @uncalled
(field_type) @uncalled

; fun name/1, fun module:name/1, ?NAME(…)
(internal_fun fun: (atom) @called)
(external_fun) @called
(macro_call_expr name: (_) @called args: (_))

((function_clause args: (expr_args args: (var) @variable)) (#not-eq? @variable "_"))
(match_expr lhs: (var) @variable rhs: (_) @value)
