(comment) @comment
(documentation_comment) @comment
(annotation) @lead
(member_declaration) @wrap

(class_declaration name: (_) @name body: (_) @body) @class
(class_declaration (mixin_application_class . (identifier) @name)) @class
(mixin_declaration name: (_) @name body: (_) @body) @trait
(extension_declaration name: (_) @name body: (_) @body) @class
(extension_declaration !name class: (type (type_identifier) @owner .) body: (_) @body) @scope
(extension_declaration !name class: (type (type_identifier) @owner . (type_arguments) .) body: (_) @body) @scope
(extension_type_declaration name: (extension_type_name . (identifier) @name) body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @enum
(enum_entry name: (_) @name) @constant
(type_alias (type_identifier) @name) @type

(function_declaration signature: (_ name: (_) @name) body: (_) @body) @function
(getter_declaration signature: (_ name: (_) @name) body: (_) @body) @function
(setter_declaration signature: (_ name: (_) @name) body: (_) @body) @function
(external_function_declaration signature: (_ name: (_) @name)) @function
(local_function_declaration (function_signature name: (_) @name) (function_body) @body) @function

; Of the two names of a constructor the second is its own.
(method_declaration signature: (method_signature (constructor_signature (identifier) @name . (formal_parameter_list))
  (initializers) @body)) @method
(method_declaration signature: (method_signature (constructor_signature (identifier) @name . (formal_parameter_list)))
  body: (_)? @body) @method
(method_declaration signature: (method_signature (factory_constructor_signature
  (identifier) @name . (formal_parameter_list))) body: (_) @body) @method
(method_declaration signature: (method_signature (operator_signature operator: (_) @name)) body: (_) @body) @method
(method_declaration signature: (method_signature [
  (function_signature name: (_) @name) (getter_signature name: (_) @name) (setter_signature name: (_) @name)])
  body: (_) @body) @method
(declaration [
  (constructor_signature (identifier) @name . (formal_parameter_list))
  (constant_constructor_signature (identifier) @name . (formal_parameter_list))
  (redirecting_factory_constructor_signature (identifier) @name . (formal_parameter_list))]
  [(initializers) (redirection)]? @body) @method
(declaration [(function_signature name: (_) @name) (getter_signature name: (_) @name) (setter_signature name: (_) @name)])
  @method

(declaration (initialized_identifier_list (initialized_identifier name: (_) @name))) @field
(declaration (static_final_declaration_list (static_final_declaration name: (_) @name))) @constant
(top_level_variable_declaration (initialized_identifier_list (initialized_identifier name: (_) @name))) @constant
(top_level_variable_declaration (static_final_declaration_list (static_final_declaration name: (_) @name))) @constant
