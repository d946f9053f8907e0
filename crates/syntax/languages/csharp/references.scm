(file_scoped_namespace_declaration name: (_) @package)
(compilation_unit (namespace_declaration name: (_) @package))
(using_directive !name [(identifier) (qualified_name) (alias_qualified_name)] @from) @all
(using_directive name: (_) @alias . (qualified_name qualifier: (_) @from name: (_) @imported))
(using_directive name: (_) @alias . (identifier) @from)

; Only its name tells an interface from a class.
((class_declaration (base_list . (_) @base)) (#not-match? @base "^I[A-Z]"))
((class_declaration (base_list . (_) @implements)) (#match? @implements "^I[A-Z]"))
(class_declaration (base_list (_) [(identifier) (qualified_name) (generic_name) (alias_qualified_name)] @implements))
((record_declaration (base_list . [(identifier) (qualified_name) (generic_name)] @base))
  (#not-match? @base "^I[A-Z]"))
((record_declaration (base_list . (_) @implements)) (#match? @implements "^I[A-Z]"))
(record_declaration (base_list (_) [(identifier) (qualified_name) (generic_name)] @implements))
(record_declaration (base_list (primary_constructor_base_type type: (_) @base)))
(struct_declaration (base_list [(identifier) (qualified_name) (generic_name)] @implements))
(interface_declaration (base_list [(identifier) (qualified_name) (generic_name)] @base))

(method_declaration
  returns: [(identifier) (qualified_name) (generic_name) (alias_qualified_name) (nullable_type) (array_type)] @returns
  name: (_) @name)
(local_function_statement
  type: [(identifier) (qualified_name) (generic_name) (alias_qualified_name) (nullable_type) (array_type)] @returns
  name: (_) @name)
(delegate_declaration type: (_) @returns name: (_) @name)

(parameter type: (_) @typed name: (identifier) @variable)
(parameter_list type: (_) @typed name: (identifier) @variable)
(record_declaration (parameter_list (parameter type: (_) @typed name: (identifier) @member)))
(local_declaration_statement (variable_declaration
  type: [(identifier) (qualified_name) (generic_name) (alias_qualified_name) (nullable_type) (array_type)] @typed
  (variable_declarator name: (identifier) @variable)))
(local_declaration_statement (variable_declaration type: (implicit_type)
  (variable_declarator name: (identifier) @variable . (_) @value)))
(using_statement (variable_declaration type: (implicit_type)
  (variable_declarator name: (identifier) @variable . (_) @value)))
(using_statement (variable_declaration type: [(identifier) (qualified_name) (generic_name)] @typed
  (variable_declarator name: (identifier) @variable)))
(field_declaration (variable_declaration type: (_) @typed (variable_declarator name: (identifier) @member)))
(event_field_declaration (variable_declaration type: (_) @typed (variable_declarator name: (identifier) @member)))
(property_declaration type: (_) @typed name: (identifier) @member)
(foreach_statement type: (implicit_type) left: (identifier) @variable right: (_) @items) @reach
(foreach_statement type: [(identifier) (qualified_name) (generic_name) (nullable_type) (array_type)] @typed
  left: (identifier) @variable) @reach
(from_clause name: (identifier) @variable "in" (_) @items)
(catch_declaration type: (_) @typed name: (identifier)? @variable)
(declaration_pattern type: (_) @typed name: (identifier)? @variable)
(declaration_expression type: [(identifier) (qualified_name) (generic_name) (nullable_type) (array_type)] @typed
  name: (identifier) @variable)
(lambda_expression parameters: (implicit_parameter) @variable) @reach
(lambda_expression parameters: (parameter_list (parameter !type name: (identifier) @variable))) @reach

; Type name = new(…)
(variable_declaration type: [(identifier) (qualified_name) (generic_name)] @called
  (variable_declarator (implicit_object_creation_expression)))

; Types that are named and bind nothing.
(type_argument_list) @typed
(attribute name: (_) @typed)
(type_parameter_constraint type: (_) @typed)
(cast_expression type: (_) @typed)
(as_expression right: (_) @typed)
(is_expression right: (_) @typed)
(typeof_expression type: (_) @typed)
(recursive_pattern type: (_) @typed name: (identifier)? @variable)
