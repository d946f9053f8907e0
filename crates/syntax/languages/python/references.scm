(class_definition superclasses: (argument_list [(identifier) (attribute)] @base))
(class_definition superclasses: (argument_list (subscript value: (_) @base)))
(function_definition name: (_) @name return_type: (type) @returns)
(return_statement (_) @gives)

(import_statement name: (dotted_name) @from)
(import_statement name: (aliased_import name: (_) @from alias: (_) @alias))
(import_from_statement module_name: (_) @from name: (dotted_name) @imported)
(import_from_statement module_name: (_) @from name: (aliased_import name: (_) @imported alias: (_) @alias))
(import_from_statement module_name: (_) @from (wildcard_import) @all)

(typed_parameter . (identifier) @variable type: (type) @typed)
(typed_default_parameter name: (identifier) @variable type: (type) @typed)
; What is not told must still hide what has the same name outside.
(parameters (identifier) @variable)
(parameters (default_parameter name: (identifier) @variable))
(parameters (list_splat_pattern (identifier) @variable))
(parameters (dictionary_splat_pattern (identifier) @variable))
(lambda parameters: (lambda_parameters (identifier) @variable)) @reach
(lambda parameters: (lambda_parameters (default_parameter name: (identifier) @variable))) @reach

(assignment left: (identifier) @variable type: (type) @typed)
(assignment left: (identifier) @variable !type right: (_) @value)
(assignment left: (pattern_list (identifier) @variable))
(assignment left: (tuple_pattern (identifier) @variable))
(named_expression name: (_) @variable value: (_) @value)
((assignment left: (attribute object: (identifier) @_self attribute: (_) @member) type: (type) @typed)
  (#any-of? @_self "self" "cls"))
((assignment left: (attribute object: (identifier) @_self attribute: (_) @member) !type right: (_) @value)
  (#any-of? @_self "self" "cls"))
(class_definition body: (block (expression_statement (assignment left: (identifier) @member type: (type) @typed))))
(class_definition body: (block (expression_statement (assignment left: (identifier) @member !type right: (_) @value))))

; T = TypeVar("T", bound="Base")
((assignment left: (identifier) @variable right: (call
  arguments: (argument_list (keyword_argument name: (identifier) @_bound value: (_) @typed))))
  (#eq? @_bound "bound"))

(for_statement left: (identifier) @variable right: (_) @items)
(for_statement left: (pattern_list (identifier) @variable))
(for_statement left: (tuple_pattern (identifier) @variable))
(for_in_clause left: (identifier) @variable right: (_) @items)
(for_in_clause left: (pattern_list (identifier) @variable))
(for_in_clause left: (tuple_pattern (identifier) @variable))
; What a context manager gives is itself, or what a generator yields.
(with_item value: (as_pattern (_) @value alias: (as_pattern_target (identifier) @variable)))
(with_item value: (as_pattern (_) @items alias: (as_pattern_target (identifier) @variable)))
(except_clause value: (as_pattern (_) @typed alias: (as_pattern_target (identifier) @variable)))

; if isinstance(x, T): here x is a T
((if_statement condition: (call function: (identifier) @_isinstance
  arguments: (argument_list . (identifier) @variable . (_) @typed)) consequence: (_) @reach)
  (#eq? @_isinstance "isinstance"))
((elif_clause condition: (call function: (identifier) @_isinstance
  arguments: (argument_list . (identifier) @variable . (_) @typed)) consequence: (_) @reach)
  (#eq? @_isinstance "isinstance"))
((assert_statement (call function: (identifier) @_isinstance
  arguments: (argument_list . (identifier) @variable . (_) @typed)))
  (#eq? @_isinstance "isinstance"))
