(template_declaration) @wrap

(namespace_definition name: (_) @name body: (_) @body) @module
(class_specifier name: (_) @name body: (_) @body) @class
(type_definition type: [(qualified_identifier) (template_type) (dependent_type)] declarator: (_) @name) @type
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @trait

; A test is called like its suite and its case, not like the macro that makes it.
((function_definition !type
  declarator: (function_declarator
    declarator: (identifier) @_macro
    parameters: (parameter_list . (parameter_declaration type: (_) @owner) . (parameter_declaration type: (_) @name)))
  body: (_) @body) @method
  (#any-of? @_macro "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P" "BENCHMARK_F"))

; A constructor, a destructor, a conversion.
(function_definition declarator: (_) @name (field_initializer_list) @body) @function
((function_definition !type declarator: (function_declarator declarator: (_) @_macro) @name body: (_) @body) @function
  (#not-any-of? @_macro "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P" "BENCHMARK_F"))
(function_definition !type declarator: (operator_cast) @name body: (_) @body) @function
(function_definition declarator: (_) @name [(default_method_clause) (delete_method_clause)]) @function
(field_declaration declarator: (_) @name) @function

; static constexpr int limit = 3;
(field_declaration (storage_class_specifier) declarator: (_) @name default_value: (_)) @constant
