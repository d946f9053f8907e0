(line_comment) @comment
(block_comment) @comment
(const_statement) @wrap
(macrocall_expression) @wrap

; Documentation is a text directly before.
(source_file (string_literal (content) @docstring) @lead .
  [(function_definition) (macro_definition) (struct_definition) (abstract_definition) (primitive_definition)
   (module_definition) (assignment) (const_statement) (macrocall_expression) (identifier)])
(module_definition (string_literal (content) @docstring) @lead .
  [(function_definition) (macro_definition) (struct_definition) (abstract_definition) (primitive_definition)
   (module_definition) (assignment) (const_statement) (macrocall_expression) (identifier)])
(struct_definition (string_literal (content) @docstring) @lead . [(typed_expression) (identifier) (assignment)])

(module_definition name: (identifier) @name . (_)? @body) @module

; A head is a name, a member of a module or an operator, with what may stand around a call of it.
(function_definition (signature [
    (identifier) @name
    (call_expression . [(identifier) @name (operator) @name (field_expression (_) @name .) (parametrized_type_expression . (identifier) @name)])
    (typed_expression . (call_expression . [(identifier) @name (operator) @name (field_expression (_) @name .)]))
    (where_expression . (call_expression . [(identifier) @name (operator) @name (field_expression (_) @name .) (parametrized_type_expression . (identifier) @name)]))
    (where_expression . (typed_expression . (call_expression . [(identifier) @name (field_expression (_) @name .)])))])
  . (_)? @body) @function
(assignment . [
    (call_expression . [(identifier) @name (operator) @name (field_expression (_) @name .) (parametrized_type_expression . (identifier) @name)])
    (typed_expression . (call_expression . [(identifier) @name (field_expression (_) @name .)]))
    (where_expression . (call_expression . [(identifier) @name (operator) @name (field_expression (_) @name .) (parametrized_type_expression . (identifier) @name)]))]
  (operator) . (_) @body) @function
(macro_definition (signature (call_expression . (identifier) @name)) . (_) @body) @macro

(struct_definition (type_head [
    (identifier) @name
    (parametrized_type_expression . (identifier) @name)
    (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])]) . (_)? @body) @struct
(struct_definition (typed_expression . (identifier) @name) @field)
(struct_definition (identifier) @name @field)
(struct_definition (assignment . [(identifier) @name (typed_expression . (identifier) @name)]) @field)
(abstract_definition (type_head [
    (identifier) @name
    (parametrized_type_expression . (identifier) @name)
    (binary_expression . [(identifier) @name (parametrized_type_expression . (identifier) @name)])])) @interface
(primitive_definition (type_head (identifier) @name)) @type
((macrocall_expression (macro_identifier (identifier) @_enum)
  (macro_argument_list . [(identifier) @name (typed_expression . (identifier) @name)] . (_) @body)) @enum (#eq? @_enum "enum"))

(const_statement (assignment . [(identifier) (operator)] @name) @constant)
(source_file (assignment . (identifier) @name) @constant)
(module_definition (assignment . (identifier) @name) @constant)
