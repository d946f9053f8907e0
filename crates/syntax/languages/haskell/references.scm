(header module: (module) @package)

; import M, which brings all names with it, and import M (names)
((import module: (_) @from !names) @_import @all (#not-match? @_import "\\bqualified\\b"))
((import module: (_) @from names: (import_list)) @_import @all (#match? @_import "^[^(]*\\bhiding\\b") (#not-match? @_import "^[^(]*\\bqualified\\b"))
((import module: (_) @from names: (import_list name: (import_name variable: (_) @imported))) @_import (#not-match? @_import "^[^(]*\\bhiding\\b"))
((import module: (_) @from names: (import_list name: (import_name operator: (prefix_id (_) @imported)))) @_import (#not-match? @_import "^[^(]*\\bhiding\\b"))
((import module: (_) @from names: (import_list name: (import_name type: (_) @imported))) @_import (#not-match? @_import "^[^(]*\\bhiding\\b"))
((import module: (_) @from names: (import_list name: (import_name children: (children element: [(constructor) (variable)] @imported)))) @_import (#not-match? @_import "^[^(]*\\bhiding\\b"))
; import qualified M, import M as A: the module itself, by its name or another
((import module: (_) @from !alias) @_import (#match? @_import "^[^(]*\\bqualified\\b"))
(import module: (_) @from alias: (_) @alias)

; module M (module Other): passed on whole; what is imported under that name, or this module itself.
(module_export module: (_) @from) @export @all

(signature name: [(variable) @name (prefix_id (_) @name)] type: (_) @returns)
(signature names: (binding_list name: (variable) @name) type: (_) @returns)
(field name: (field_name (variable) @member) type: (_) @typed)
(prefix name: (constructor) field: (_) @typed)
(prefix !name type: (_) @typed)
(newtype_constructor field: (field (_) @typed))
(type_synonym type: (_) @typed)
(instance patterns: (type_patterns (_) @typed))

; x <- action, let x = value
(bind pattern: (variable) @variable expression: (_) @value)
(local_binds (bind name: (variable) @variable match: (match expression: (_) @value)))

(class context: (context context: (apply constructor: (_) @base)))
(class context: (context context: (parens (apply constructor: (_) @base))))
(class context: (context context: (tuple (apply constructor: (_) @base))))
(instance name: (_) @implements)
(deriving_instance name: (_) @implements)
(deriving classes: [(name) (qualified)] @implements)
(deriving classes: (parens [(name) (qualified)] @implements))
(deriving classes: (tuple [(name) (qualified)] @implements))

; f $ x, f . g, f <$> x, m >>= f, x & f
((infix left_operand: [(variable) (constructor) (qualified)] @called operator: (operator) @_op)
  (#any-of? @_op "$" "$!" "." "<$>" "=<<" "<=<" ">=>" ">>>" "<<<" ">>" "*>" "<*" "<*>" ">>="))
((infix operator: (operator) @_op right_operand: [(variable) (constructor) (qualified)] @called)
  (#any-of? @_op "." ">>=" ">=>" "<=<" ">>>" "<<<" "&" "<&>" ">>" "*>" "<*"))
(record expression: [(constructor) (qualified id: (constructor))] @called)
; Steps of a do block.
(exp [(variable) (qualified)] @called)
(bind pattern: (_) expression: [(variable) (qualified)] @called)
