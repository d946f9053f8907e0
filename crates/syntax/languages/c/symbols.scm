(comment) @comment
(declaration) @wrap

(function_definition type: (_) declarator: (_) @name body: (_) @body) @function
; Prototypes, and variables of the whole file: whichever it is declared to be.
(declaration declarator: (_) @name @function)
(declaration declarator: (_) @name @constant)

; typedef struct tag { … } name: the tag owns the members, the name stands beside it.
(type_definition "typedef" @start type: (struct_specifier name: (_) @name body: (_) @body) @struct)
(type_definition "typedef" @start type: (union_specifier name: (_) @name body: (_) @body) @struct)
(type_definition "typedef" @start type: (enum_specifier name: (_) @name body: (_) @body) @enum)
((type_definition type: (struct_specifier name: (_) @_tag body: (_)) declarator: (_) @name @type)
  (#not-eq? @name @_tag))
((type_definition type: (union_specifier name: (_) @_tag body: (_)) declarator: (_) @name @type)
  (#not-eq? @name @_tag))
((type_definition type: (enum_specifier name: (_) @_tag body: (_)) declarator: (_) @name @type)
  (#not-eq? @name @_tag))
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (_) @name) @struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (_) @name) @struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (_) @name) @enum
; typedef struct tag tag: says nothing that the tag does not.
((type_definition type: (struct_specifier name: (_) @_tag !body) declarator: (_) @name) @type (#not-eq? @name @_tag))
((type_definition type: (union_specifier name: (_) @_tag !body) declarator: (_) @name) @type (#not-eq? @name @_tag))
((type_definition type: (enum_specifier name: (_) @_tag !body) declarator: (_) @name) @type (#not-eq? @name @_tag))
(type_definition type: [(type_identifier) (primitive_type) (sized_type_specifier)] declarator: (_) @name) @type

(struct_specifier name: (_) @name body: (_) @body) @struct
(union_specifier name: (_) @name body: (_) @body) @struct
(enum_specifier name: (_) @name body: (_) @body) @enum
; Its name is everyone's, as that of any constant.
(enumerator name: (_) @name) @constant

; Without a value it only says that it is there: an include guard, a switch.
(preproc_def name: (_) @name value: (_)) @constant
(preproc_function_def name: (_) @name value: (_) @body) @macro
(preproc_function_def name: (_) @name) @macro
