(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition superclasses: (argument_list (subscript value: (_) @base)))
(function_definition name: (_) @name return_type: (type) @returns)

(import_statement name: (dotted_name) @from)
(import_statement name: (aliased_import name: (_) @from alias: (_) @alias))
(import_from_statement module_name: (_) @from name: (dotted_name) @imported)
(import_from_statement module_name: (_) @from name: (aliased_import name: (_) @imported alias: (_) @alias))
(import_from_statement module_name: (_) @from (wildcard_import) @all)

(typed_parameter . (identifier) @variable type: (type) @typed)
(typed_default_parameter name: (identifier) @variable type: (type) @typed)

(assignment left: (identifier) @variable type: (type) @typed)
(assignment left: (identifier) @variable !type right: [(call) (identifier) (attribute) (await)] @value)
((assignment left: (attribute object: (identifier) @_self attribute: (_) @member) type: (type) @typed)
  (#eq? @_self "self"))
((assignment left: (attribute object: (identifier) @_self attribute: (_) @member) !type
  right: [(call) (identifier) (attribute) (await)] @value) (#eq? @_self "self"))
(class_definition body: (block (expression_statement (assignment left: (identifier) @member type: (type) @typed))))
(class_definition body: (block (expression_statement (assignment left: (identifier) @member !type right: (_) @value))))
(with_item value: (as_pattern (_) @value alias: (as_pattern_target (identifier) @variable)))
