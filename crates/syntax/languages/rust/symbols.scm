(line_comment) @comment
(block_comment) @comment
(attribute_item) @lead

(mod_item name: (_) @name body: (_) @body) @module
(struct_item name: (_) @name body: (field_declaration_list) @body) @struct
(struct_item name: (_) @name) @struct
(union_item name: (_) @name body: (_) @body) @struct
(enum_item name: (_) @name body: (_) @body) @enum
(trait_item name: (_) @name body: (_) @body) @trait
; Not those of impl blocks: they answer a trait, and half of all are called `Output`.
(source_file (type_item name: (_) @name) @type)
(mod_item body: (_ (type_item name: (_) @name) @type))
(macro_definition name: (_) @name . _ @body) @macro

(function_item name: (_) @name body: (_) @body) @function
(function_signature_item name: (_) @name) @function

((const_item name: (_) @name) @constant (#not-eq? @name "_"))
(static_item name: (_) @name) @constant

; An impl block is no symbol, but it says whose the members are. The first form that fits gives the owner's bare name.
(impl_item !trait type: (type_identifier) @owner) @scope
(impl_item !trait type: (generic_type type: (type_identifier) @owner)) @scope
(impl_item !trait type: (scoped_type_identifier name: (_) @owner)) @scope
(impl_item !trait type: (generic_type type: (scoped_type_identifier name: (_) @owner))) @scope
(impl_item !trait type: (_) @owner) @scope
(impl_item trait: (_) @as type: (type_identifier) @owner) @scope
(impl_item trait: (_) @as type: (generic_type type: (type_identifier) @owner)) @scope
(impl_item trait: (_) @as type: (scoped_type_identifier name: (_) @owner)) @scope
(impl_item trait: (_) @as type: (generic_type type: (scoped_type_identifier name: (_) @owner))) @scope
(impl_item trait: (_) @as type: (_) @owner) @scope

; What a macro is given in the place of items, such as `cfg_feature! { … }`, is mostly items.
(source_file (macro_invocation (token_tree
  ["fn" "struct" "enum" "trait" "impl" "mod" "static" "const" "type" "union"]) @again))
(declaration_list (macro_invocation (token_tree
  ["fn" "struct" "enum" "trait" "impl" "mod" "static" "const" "type" "union"]) @again))
