((command command_name: (command_name) @_using
  command_elements: (command_elements (generic_token) @_what . (command_argument_sep) . (generic_token) @from)) @all
  (#match? @_using "^[Uu]sing$") (#match? @_what "^[Mm]odule$"))
((command command_name: (command_name) @_import
  command_elements: (command_elements . (command_argument_sep) . (generic_token) @from)) @all
  (#match? @_import "^[Ii]mport-[Mm]odule$"))
((command command_name: (command_name) @_import
  command_elements: (command_elements (command_parameter) @_name . (command_argument_sep) . (generic_token) @from)) @all
  (#match? @_import "^[Ii]mport-[Mm]odule$") (#match? @_name "^-[Nn]ame$"))
((command (command_invokation_operator) @_dot command_name: (_) @from) @all (#eq? @_dot "."))

(class_statement ":" (simple_name) @base)
(class_method_definition (type_literal) @returns (simple_name) @name)

(script_parameter (attribute_list (attribute (type_literal) @typed)) (variable) @variable)
(class_property_definition (type_literal) @typed (variable) @member)
(class_method_parameter (type_literal) @typed (variable) @variable)
(assignment_expression (left_assignment_expression) @variable value: (pipeline) @value)
