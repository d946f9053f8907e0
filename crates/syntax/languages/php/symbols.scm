(comment) @comment
(attribute_list) @lead

(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(trait_declaration name: (_) @name body: (_) @body) @trait
(enum_declaration name: (_) @name body: (_) @body) @enum
(enum_case name: (_) @name) @constant
(function_definition name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name body: (_)? @body) @method
(const_declaration (const_element . (name) @name)) @constant

; define('NAME', value)
((program (expression_statement (function_call_expression function: (name) @_define
  arguments: (arguments . (argument [(string (string_content) @name) (encapsed_string (string_content) @name)])))
  @constant)) (#eq? @_define "define"))

; Properties that other files may reach by name.
((property_declaration (visibility_modifier) @_open (property_element name: (variable_name (name) @name))
  (property_hook_list)? @body) @field (#not-eq? @_open "private"))
(property_declaration (var_modifier) (property_element name: (variable_name (name) @name))) @field
