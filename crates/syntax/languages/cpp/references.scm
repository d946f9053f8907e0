(namespace_alias_definition name: (_) @alias (_) @from .)

(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)

(function_declarator declarator: (_) @name (trailing_return_type (type_descriptor) @returns))

; Widget widget(1), Widget widget{1}, and what reads like a prototype; make_unique<Widget>(1).
(declaration type: (_) @called declarator: (init_declarator value: [(argument_list) (initializer_list)]))
(compound_statement (declaration type: (_) @called declarator: (function_declarator)))
((call_expression function: (qualified_identifier name: (template_function name: (identifier) @_make
  arguments: (template_argument_list . (type_descriptor) @called))))
  (#any-of? @_make "make_unique" "make_shared"))

; auto widget = make();
(declaration type: (placeholder_type_specifier) declarator: (init_declarator declarator: (_) @variable value: (_) @value))
((declaration type: (placeholder_type_specifier) declarator: (init_declarator
  declarator: (_) @variable
  value: (call_expression function: (qualified_identifier name: (template_function name: (identifier) @_make
    arguments: (template_argument_list . (type_descriptor) @typed))))))
  (#any-of? @_make "make_unique" "make_shared"))

(parameter_declaration type: (_) @typed declarator: (reference_declarator) @variable)
(optional_parameter_declaration type: (_) @typed declarator: (_) @variable)
(for_range_loop type: (_) @typed declarator: (_) @variable body: (_) @reach)
(for_range_loop type: (placeholder_type_specifier) declarator: (_) @variable right: (_) @items body: (_) @reach)
