(package_declaration [(identifier) (scoped_identifier)] @package)

(class_declaration superclass: (superclass (_) @base))
(class_declaration interfaces: (super_interfaces (type_list (_) @implements)))
(enum_declaration interfaces: (super_interfaces (type_list (_) @implements)))
(record_declaration interfaces: (super_interfaces (type_list (_) @implements)))
(interface_declaration (extends_interfaces (type_list (_) @base)))

(method_declaration
  type: [(type_identifier) (scoped_type_identifier) (generic_type) (array_type)] @returns name: (_) @name)
(annotation_type_element_declaration
  type: [(type_identifier) (scoped_type_identifier) (generic_type) (array_type)] @returns name: (_) @name)

(formal_parameter type: (_) @typed name: (identifier) @variable)
(spread_parameter [(type_identifier) (scoped_type_identifier) (generic_type) (integral_type) (floating_point_type)
  (boolean_type)] @typed (variable_declarator name: (identifier) @variable)) @many
(catch_formal_parameter (catch_type) @typed name: (identifier) @variable)
(instanceof_expression right: (_) @typed name: (identifier) @variable)
(type_pattern (_) @typed . (identifier) @variable)

; `var` is no type.
((local_variable_declaration type: (_) @typed declarator: (variable_declarator name: (identifier) @variable))
  (#not-eq? @typed "var"))
((local_variable_declaration type: (_) @_var
  declarator: (variable_declarator name: (identifier) @variable value: (_) @value)) (#eq? @_var "var"))
((enhanced_for_statement type: (_) @typed name: (identifier) @variable) (#not-eq? @typed "var"))
((enhanced_for_statement type: (_) @_var name: (identifier) @variable value: (_) @items) (#eq? @_var "var"))
((resource type: (_) @typed name: (identifier) @variable) (#not-eq? @typed "var"))
((resource type: (_) @_var name: (identifier) @variable value: (_) @value) (#eq? @_var "var"))

(lambda_expression parameters: (identifier) @variable) @reach
(lambda_expression parameters: (inferred_parameters (identifier) @variable)) @reach

(field_declaration type: (_) @typed declarator: (variable_declarator name: (identifier) @member))
(constant_declaration type: (_) @typed declarator: (variable_declarator name: (identifier) @member))
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @typed name: (identifier) @member)))

; Types that are named and bind nothing.
(superclass (generic_type (type_arguments) @typed))
(type_list (generic_type (type_arguments) @typed))
(throws (_) @typed)
(cast_expression type: (_) @typed)
(class_literal (_) @typed)
(type_bound (_) @typed)
(instanceof_expression right: (_) @typed !name)
(object_creation_expression type: (generic_type (type_arguments) @typed))
((modifiers (marker_annotation name: (_) @typed)) (#not-eq? @typed "Override"))
(modifiers (annotation name: (_) @typed))
