(comment) @comment

(contract_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(library_declaration name: (_) @name body: (_) @body) @module
(struct_declaration name: (_) @name body: (_) @body) @struct
(enum_declaration name: (_) @name body: (_) @body) @enum
(user_defined_type_definition name: (_) @name) @type
; Records: one is emitted, the other reverted with.
(event_definition name: (_) @name) @struct
(error_declaration name: (_) @name) @struct

(function_definition name: (_) @name body: (_) @body) @function
(function_definition name: (_) @name) @function
(modifier_definition name: (_) @name body: (_) @body) @function
(modifier_definition name: (_) @name) @function
(constructor_definition "constructor" @name body: (_) @body) @method
(fallback_receive_definition ["receive" "fallback"] @name body: (_) @body) @method
(fallback_receive_definition ["receive" "fallback"] @name) @method

(constant_variable_declaration name: (_) @name) @constant
(state_variable_declaration "constant" name: (_) @name) @constant
; What a contract keeps.
(state_variable_declaration name: (_) @name) @field
