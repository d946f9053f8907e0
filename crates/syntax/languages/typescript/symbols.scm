(ambient_declaration) @wrap

(abstract_class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(enum_declaration name: (_) @name body: (_) @body) @enum
(type_alias_declaration name: (_) @name value: (object_type) @body) @type
(type_alias_declaration name: (_) @name) @type

(internal_module name: (_) @name body: (_) @body) @module
(module name: (string (string_fragment) @name) body: (_) @body) @module
(module name: (identifier) @name body: (_) @body) @module

; Declared without a body: overloads, ambient functions, interface and abstract members.
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method

; A class field that holds a function is a method to everyone who calls it.
(public_field_definition name: (_) @name value: (arrow_function body: (_) @body)) @method
(public_field_definition name: (_) @name value: (function_expression body: (_) @body)) @method

; declare const x: T
(program (ambient_declaration (_ (variable_declarator name: (identifier) @name) @constant)))
