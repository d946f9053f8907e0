(comment) @comment
(block_comment) @comment
(annotation) @lead

(package_clause name: (_) @name body: (_) @body) @module
(package_object name: (_) @name body: (_)? @body) @module
(class_definition name: (_) @name body: (_)? @body) @class
(object_definition name: (_) @name body: (_)? @body) @class
(trait_definition name: (_) @name body: (_)? @body) @trait
(enum_definition name: (_) @name body: (_) @body) @enum
(enum_case_definitions (simple_enum_case name: (_) @name) @constant)
(enum_case_definitions (full_enum_case name: (_) @name) @constant)
(type_definition name: (_) @name) @type

(function_definition name: (_) @name body: (_) @body) @function
(function_declaration name: (_) @name) @function
; An instance with members of its own is an object in all but name.
(given_definition name: (_) @name body: (with_template_body) @body) @class
(given_definition name: (_) @name) @constant

; What is given to a type from outside belongs to it.
(extension_definition parameters: (parameters (parameter type: [
  (type_identifier) @owner
  (generic_type type: (type_identifier) @owner)
  (stable_type_identifier (type_identifier) @owner .)]))) @scope

; Values: of the whole file, of types and objects. What a value does is no part of a signature.
(compilation_unit [
  (val_definition pattern: (identifier) @name value: [
    (block) @body (indented_block) @body (case_block) @body (instance_expression (template_body) @body) (_)])
  (var_definition pattern: (identifier) @name)] @constant)
(template_body [
  (val_definition pattern: [(identifier) @name (identifiers (identifier) @name)] value: [
    (block) @body (indented_block) @body (case_block) @body (instance_expression (template_body) @body) (_)])
  (var_definition pattern: (identifier) @name)] @field)
(val_declaration name: (_) @name) @field
(var_declaration name: (_) @name) @field
