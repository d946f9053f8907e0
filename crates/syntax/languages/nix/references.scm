((apply_expression function: (variable_expression name: (_) @_import) argument: [(path_expression) (spath_expression)] @from)
  (#eq? @_import "import"))
((apply_expression function: (select_expression attrpath: (_) @_call) argument: (path_expression) @from)
  (#match? @_call "callPackage$"))
((apply_expression function: (variable_expression name: (_) @_call) argument: (path_expression) @from)
  (#match? @_call "^callPackage$"))
((binding attrpath: (_) @_imports expression: (list_expression element: (path_expression) @from))
  (#eq? @_imports "imports"))

(inherit_from expression: (variable_expression) @from attrs: (inherited_attrs attr: (_) @imported))

(binding attrpath: (_) @variable expression: [(apply_expression) (variable_expression) (select_expression)] @value)
