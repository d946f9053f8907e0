(comment) @comment

((from_instruction as: (image_alias) @name) @section (#set! level "1"))
((from_instruction (image_spec) @name !as) @section (#set! level "1"))
(arg_instruction (arg_pair name: (_) @name)) @constant
(env_instruction (env_pair name: (_) @name) @constant)
