(function_item name: (_) @name return_type: (_) @returns)
(function_signature_item name: (_) @name return_type: (_) @returns)
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @base))
; What a type is, a trait's members are found by.
(impl_item type_parameters: (type_parameters (type_parameter
  name: (_) @variable bounds: (trait_bounds (_) @typed)))) @reach
(impl_item type_parameters: (type_parameters (type_parameter name: (_) @variable !bounds))) @reach
(impl_item (where_clause (where_predicate left: (type_identifier) @variable bounds: (trait_bounds (_) @typed)))) @reach
(function_item type_parameters: (type_parameters (type_parameter name: (_) @variable bounds: (trait_bounds (_) @typed))))
(function_item type_parameters: (type_parameters (type_parameter name: (_) @variable !bounds)))
(function_item (where_clause (where_predicate left: (type_identifier) @variable bounds: (trait_bounds (_) @typed))))
(function_signature_item type_parameters: (type_parameters (type_parameter
  name: (_) @variable bounds: (trait_bounds (_) @typed))))
(function_signature_item type_parameters: (type_parameters (type_parameter name: (_) @variable !bounds)))
(function_signature_item (where_clause (where_predicate
  left: (type_identifier) @variable bounds: (trait_bounds (_) @typed))))
(struct_item type_parameters: (type_parameters (type_parameter name: (_) @variable bounds: (trait_bounds (_) @typed))))
(struct_item type_parameters: (type_parameters (type_parameter name: (_) @variable !bounds)))
(enum_item type_parameters: (type_parameters (type_parameter name: (_) @variable)))
(struct_item (where_clause (where_predicate left: (type_identifier) @variable bounds: (trait_bounds (_) @typed))))
(trait_item type_parameters: (type_parameters (type_parameter name: (_) @variable bounds: (trait_bounds (_) @typed))))
(associated_type name: (_) @member bounds: (trait_bounds (_) @typed))
(impl_item body: (declaration_list (type_item name: (_) @member type: (_) @typed)))
(impl_item body: (declaration_list (const_item name: (_) @member type: (_) @typed)))
(source_file (type_item name: (_) @variable type: (_) @typed))
(mod_item body: (declaration_list (type_item name: (_) @variable type: (_) @typed)))

(function_item parameters: (parameters (parameter pattern: (identifier) @variable type: (_) @typed)))
(function_item parameters: (parameters (parameter pattern: (mut_pattern (identifier) @variable) type: (_) @typed)))
(function_item parameters: (parameters (parameter pattern: (tuple_pattern (identifier) @variable))))
(function_signature_item parameters: (parameters (parameter type: (_) @typed)))
(closure_expression parameters: (closure_parameters (parameter pattern: (identifier) @variable type: (_) @typed))) @reach
; What works on the items of something is given one of them.
(call_expression function: (field_expression value: (_) @items)
  arguments: (arguments (closure_expression parameters: (closure_parameters . (identifier) @variable)) @reach))
(call_expression function: (field_expression value: (_) @items)
  arguments: (arguments (closure_expression
    parameters: (closure_parameters . (reference_pattern (identifier) @variable))) @reach))
(closure_expression parameters: (closure_parameters [
  (identifier) @variable (reference_pattern (identifier) @variable) (tuple_pattern (identifier) @variable)])) @reach

; Variables are known in their block.
(block (let_declaration pattern: (identifier) @variable type: (_) @typed)) @reach
(block (let_declaration pattern: (identifier) @variable !type value: (_) @value)) @reach
(block (let_declaration pattern: (identifier) @variable !type !value)) @reach
(block (let_declaration pattern: (tuple_pattern [(identifier) @variable (mut_pattern (identifier) @variable)]))) @reach
(block (let_declaration pattern: (tuple_struct_pattern type: (_) . (identifier) @variable) value: (_) @items)) @reach
(block (let_declaration pattern: (struct_pattern (field_pattern
  name: (shorthand_field_identifier) @variable @picked)) value: (_) @value)) @reach
(if_expression condition: (let_condition
  pattern: (tuple_struct_pattern type: (_) . (identifier) @variable) value: (_) @items)) @reach
(while_expression condition: (let_condition
  pattern: (tuple_struct_pattern type: (_) . (identifier) @variable) value: (_) @items)) @reach
(match_expression value: (_) @items body: (match_block (match_arm
  pattern: (match_pattern (tuple_struct_pattern type: (_) . (identifier) @variable))) @reach))
(match_arm pattern: (match_pattern (identifier) @variable)) @reach
(match_arm pattern: (match_pattern (struct_pattern (field_pattern
  name: (shorthand_field_identifier) @variable)))) @reach
(for_expression pattern: (identifier) @variable value: (_) @items) @reach
(for_expression pattern: (tuple_pattern (identifier) @variable)) @reach

(field_declaration name: (_) @member type: (_) @typed)
(const_item name: (_) @variable type: (_) @typed)
(static_item name: (_) @variable type: (_) @typed)
(enum_variant name: (_) @member)
