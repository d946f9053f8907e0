; Before what is inherited: of two patterns that find the same import the first counts.
(import_statement "type" @type_only (import_clause (identifier) @alias @default) source: (_) @from)
(import_statement "type" @type_only (import_clause (namespace_import (identifier) @alias)) source: (_) @from)
(import_statement "type" @type_only (import_clause (named_imports (import_specifier name: (_) @imported !alias))) source: (_) @from)
(import_statement "type" @type_only (import_clause (named_imports (import_specifier name: (_) @imported alias: (_) @alias))) source: (_) @from)
(import_statement (import_clause (named_imports (import_specifier "type" @type_only name: (_) @imported !alias))) source: (_) @from)
(import_statement (import_clause (named_imports (import_specifier "type" @type_only name: (_) @imported alias: (_) @alias))) source: (_) @from)

(class_declaration (class_heritage (extends_clause value: (_) @base)))
(class_declaration (class_heritage (implements_clause (_) @implements)))
(abstract_class_declaration (class_heritage (extends_clause value: (_) @base)))
(abstract_class_declaration (class_heritage (implements_clause (_) @implements)))
(class (class_heritage (extends_clause value: (_) @base)))
(interface_declaration (extends_type_clause type: (_) @base))

(function_declaration name: (_) @name return_type: (type_annotation) @returns)
(function_signature name: (_) @name return_type: (type_annotation) @returns)
(method_definition name: (_) @name return_type: (type_annotation) @returns)
(method_signature name: (_) @name return_type: (type_annotation) @returns)
(variable_declarator name: (identifier) @name value: (arrow_function return_type: (type_annotation) @returns))
(abstract_method_signature name: (_) @name return_type: (type_annotation) @returns)
(pair key: (_) @name value: (arrow_function return_type: (type_annotation) @returns))

(function_declaration parameters: (formal_parameters (_ pattern: (identifier) @variable type: (type_annotation) @typed))) @reach
(function_declaration parameters: (formal_parameters (_ pattern: [
  (identifier) @variable (rest_pattern (identifier) @variable) (array_pattern (identifier) @variable)
  (object_pattern (shorthand_property_identifier_pattern) @variable)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @variable))
  (object_pattern (pair_pattern value: (identifier) @variable))] !type))) @reach
(function_declaration parameters: (formal_parameters (_ pattern: [
  (object_pattern (shorthand_property_identifier_pattern) @variable)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @variable))
  (object_pattern (pair_pattern value: (identifier) @variable))] type: (_)))) @reach
(function_declaration parameters: (formal_parameters (_ pattern: (object_pattern) type: (type_annotation) @typed)))
(function_expression parameters: (formal_parameters (_ pattern: (identifier) @variable type: (type_annotation) @typed))) @reach
(function_expression parameters: (formal_parameters (_ pattern: [
  (identifier) @variable (rest_pattern (identifier) @variable) (array_pattern (identifier) @variable)
  (object_pattern (shorthand_property_identifier_pattern) @variable)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @variable))
  (object_pattern (pair_pattern value: (identifier) @variable))] !type))) @reach
(function_expression parameters: (formal_parameters (_ pattern: [
  (object_pattern (shorthand_property_identifier_pattern) @variable)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @variable))
  (object_pattern (pair_pattern value: (identifier) @variable))] type: (_)))) @reach
(function_expression parameters: (formal_parameters (_ pattern: (object_pattern) type: (type_annotation) @typed)))
(arrow_function parameters: (formal_parameters (_ pattern: (identifier) @variable type: (type_annotation) @typed))) @reach
(arrow_function parameters: (formal_parameters (_ pattern: [
  (identifier) @variable (rest_pattern (identifier) @variable) (array_pattern (identifier) @variable)
  (object_pattern (shorthand_property_identifier_pattern) @variable)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @variable))
  (object_pattern (pair_pattern value: (identifier) @variable))] !type))) @reach
(arrow_function parameters: (formal_parameters (_ pattern: [
  (object_pattern (shorthand_property_identifier_pattern) @variable)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @variable))
  (object_pattern (pair_pattern value: (identifier) @variable))] type: (_)))) @reach
(arrow_function parameters: (formal_parameters (_ pattern: (object_pattern) type: (type_annotation) @typed)))
(method_definition parameters: (formal_parameters (_ pattern: (identifier) @variable type: (type_annotation) @typed))) @reach
(method_definition parameters: (formal_parameters (_ pattern: [
  (identifier) @variable (rest_pattern (identifier) @variable) (array_pattern (identifier) @variable)
  (object_pattern (shorthand_property_identifier_pattern) @variable)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @variable))
  (object_pattern (pair_pattern value: (identifier) @variable))] !type))) @reach
(method_definition parameters: (formal_parameters (_ pattern: [
  (object_pattern (shorthand_property_identifier_pattern) @variable)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @variable))
  (object_pattern (pair_pattern value: (identifier) @variable))] type: (_)))) @reach
(method_definition parameters: (formal_parameters (_ pattern: (object_pattern) type: (type_annotation) @typed)))
; constructor(private x: T)
(required_parameter (accessibility_modifier) pattern: (identifier) @member type: (type_annotation) @typed)
(required_parameter "readonly" pattern: (identifier) @member type: (type_annotation) @typed)
(variable_declarator name: (identifier) @variable type: (type_annotation) @typed)
(public_field_definition name: (_) @member type: (type_annotation) @typed)
(public_field_definition name: (_) @member !type value: (_) @value)
(property_signature name: (_) @member type: (type_annotation) @typed)

(type_parameter name: (_) @variable constraint: (constraint (_) @typed))
(type_parameter name: (_) @variable !constraint)
(type_alias_declaration name: (_) @variable value: (_) @typed)

; Types that are named where nothing is bound to them.
(method_signature parameters: (formal_parameters (_ type: (type_annotation) @typed)))
(abstract_method_signature parameters: (formal_parameters (_ type: (type_annotation) @typed)))
(function_signature parameters: (formal_parameters (_ type: (type_annotation) @typed)))
(enum_body name: (property_identifier) @member)
(enum_assignment name: (property_identifier) @member)

((call_expression function: (member_expression object: (_) @items property: (_) @_method)
  arguments: (arguments . (arrow_function
    parameters: (formal_parameters . (required_parameter pattern: (identifier) @variable !type))) @reach))
  (#any-of? @_method "map" "forEach" "filter" "find" "findIndex" "some" "every" "flatMap" "findLast"))
