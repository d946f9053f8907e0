(comment) @comment

(message (message_name) @name (message_body) @body) @struct
(group (message_name) @name (message_body) @body) @struct
(enum (enum_name) @name (enum_body) @body) @enum
(service (service_name) @name . "{" @body) @interface
(rpc (rpc_name) @name "{" @body) @method
(rpc (rpc_name) @name) @method

(field (type) . (identifier) @name) @field
(map_field (identifier) @name) @field
(oneof (identifier) @name . "{" @body) @field
(oneof_field (type) . (identifier) @name) @field
(enum_field . (identifier) @name) @constant

; What is added to a message belongs to it.
(extend (full_ident) @owner) @scope
