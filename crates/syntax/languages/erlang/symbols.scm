(comment) @comment
((wild_attribute name: (attr_name name: (atom) @_doc) value: (_) @docstring) @lead (#eq? @_doc "doc"))

; The clauses of a function, and the specification above them, are one.
(spec fun: (atom) @name sigs: (type_sig args: (_) @clause) "." @body) @function
(fun_decl clause: (function_clause name: (atom) @name args: (_) @clause body: (_) @body)) @function
(callback fun: (atom) @name "." @body) @function

(record_decl name: (atom) @name "{" @body) @struct
(record_decl fields: (record_field name: (atom) @name) @field)
(type_alias name: (type_name name: (atom) @name) "." @body) @type
(opaque name: (type_name name: (atom) @name) "." @body) @type
(pp_define lhs: (macro_lhs name: (_) @name args: (_)) replacement: (_) @body) @macro
(pp_define lhs: (macro_lhs name: (_) @name !args)) @constant
