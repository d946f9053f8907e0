(comment) @comment

(binding attrpath: (_) @name expression: (function_expression formals: (_) body: (_) @body)) @function
(binding attrpath: (_) @name expression: (function_expression universal: (_) !formals body: (function_expression universal: (_) body: (function_expression body: (_) @body)))) @function
(binding attrpath: (_) @name expression: (function_expression universal: (_) !formals body: (function_expression body: (_) @body))) @function
(binding attrpath: (_) @name expression: (function_expression universal: (_) !formals body: (_) @body)) @function
(binding attrpath: (_) @name expression: [(attrset_expression (binding_set)) (rec_attrset_expression (binding_set))] @body) @section

; Values of the file: in its outermost let or set, through functions, `with` and one call.
(source_code expression: (attrset_expression (binding_set (binding attrpath: (_) @name) @constant)))
(source_code expression: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @constant)))
(source_code expression: (let_expression (binding_set (binding attrpath: (_) @name) @constant)))
(source_code expression: (function_expression body: (attrset_expression (binding_set (binding attrpath: (_) @name) @constant))))
(source_code expression: (function_expression body: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @constant))))
(source_code expression: (function_expression body: (let_expression (binding_set (binding attrpath: (_) @name) @constant))))
(source_code expression: (with_expression body: (attrset_expression (binding_set (binding attrpath: (_) @name) @constant))))
(source_code expression: (with_expression body: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @constant))))
(source_code expression: (with_expression body: (let_expression (binding_set (binding attrpath: (_) @name) @constant))))
(source_code expression: (function_expression body: (with_expression body: (attrset_expression (binding_set (binding attrpath: (_) @name) @constant)))))
(source_code expression: (function_expression body: (with_expression body: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @constant)))))
(source_code expression: (function_expression body: (with_expression body: (let_expression (binding_set (binding attrpath: (_) @name) @constant)))))
(source_code expression: (let_expression body: (attrset_expression (binding_set (binding attrpath: (_) @name) @constant))))
(source_code expression: (let_expression body: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @constant))))
(source_code expression: (function_expression body: (let_expression body: (attrset_expression (binding_set (binding attrpath: (_) @name) @constant)))))
(source_code expression: (function_expression body: (let_expression body: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @constant)))))
(source_code expression: (function_expression body: (let_expression body: (with_expression body: (attrset_expression (binding_set (binding attrpath: (_) @name) @constant))))))
(source_code expression: (function_expression body: (let_expression body: (with_expression body: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @constant))))))

; { stdenv, … }: stdenv.mkDerivation { … }
(source_code expression: (apply_expression argument: (attrset_expression (binding_set (binding attrpath: (_) @name) @constant))))
(source_code expression: (apply_expression argument: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @constant))))
(source_code expression: (function_expression body: (apply_expression argument: (attrset_expression (binding_set (binding attrpath: (_) @name) @constant)))))
(source_code expression: (function_expression body: (apply_expression argument: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @constant)))))
(source_code expression: (let_expression body: (apply_expression argument: (attrset_expression (binding_set (binding attrpath: (_) @name) @constant)))))
(source_code expression: (let_expression body: (apply_expression argument: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @constant)))))
(source_code expression: (function_expression body: (let_expression body: (apply_expression argument: (attrset_expression (binding_set (binding attrpath: (_) @name) @constant))))))
(source_code expression: (function_expression body: (let_expression body: (apply_expression argument: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @constant))))))

; What a function of the file gives back: a flake's outputs.
(binding expression: (function_expression body: (attrset_expression (binding_set (binding attrpath: (_) @name) @field))))
(binding expression: (function_expression body: (let_expression body: (attrset_expression (binding_set (binding attrpath: (_) @name) @field)))))
(binding expression: (function_expression body: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @field))))
(binding expression: (function_expression body: (let_expression body: (rec_attrset_expression (binding_set (binding attrpath: (_) @name) @field)))))

; The options that a module declares.
((binding attrpath: (_) @_path expression: (attrset_expression (binding_set (binding attrpath: (_) @name) @field)))
  (#match? @_path "^options"))
