; `implements A & B` nests to the left.
(implements_interfaces (named_type) @implements)
(field_definition (name) @name (type) @returns)
(field_definition (name) @member (type) @typed)
(input_value_definition (name) @variable (type) @typed)
(variable_definition (variable (name) @variable) (type) @typed)
(union_member_types (named_type) @typed)
(type_condition (named_type) @typed)
(root_operation_type_definition (named_type) @typed)
