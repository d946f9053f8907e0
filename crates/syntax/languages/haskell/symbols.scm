(comment) @comment
(haddock) @comment
(pragma) @lead
(foreign_import) @wrap

; A data type that can be made in one way is a struct, in several an enum.
(data_type name: (_) @name
  constructors: (data_constructors . (data_constructor constructor: (record fields: (_) @body)) .)) @struct
(data_type name: (_) @name constructors: (data_constructors . (data_constructor) .) . deriving: (_) @body) @struct
(data_type name: (_) @name constructors: (data_constructors . (data_constructor) .)) @struct
(data_type name: (_) @name constructors: (data_constructors) @body) @enum
(data_type name: (_) @name "where" @body) @enum
(data_type name: (_) @name) @type
(newtype name: (_) @name constructor: (newtype_constructor field: (record) @body)) @struct
(newtype name: (_) @name constructor: (_) . deriving: (_) @body) @struct
(newtype name: (_) @name "where" @body) @struct
(newtype name: (_) @name) @struct
(type_synonym name: (_) @name) @type
(type_family name: (_) @name "where" @body) @type
(type_family name: (_) @name) @type
(data_family name: (_) @name) @type
(class name: (_) @name "where" @body) @trait
(class name: (_) @name) @trait

; Constructors are functions, those without arguments are values. One that is called like its type is no other symbol.
((data_type name: (_) @_type constructors: (data_constructors
  (data_constructor constructor: (prefix name: (constructor) @name field: (_))) @function)) (#not-eq? @_type @name))
((data_type name: (_) @_type constructors: (data_constructors
  (data_constructor constructor: (prefix name: (constructor) @name)) @constant)) (#not-eq? @_type @name))
((data_type name: (_) @_type constructors: (data_constructors
  (data_constructor constructor: (record name: (constructor) @name fields: (_) @body)) @function)) (#not-eq? @_type @name))
(data_constructor constructor: (infix operator: (constructor_operator) @name)) @function
((newtype name: (_) @_type
  constructor: (newtype_constructor name: (constructor) @name) @function) (#not-eq? @_type @name))
(gadt_constructor name: (constructor) @name type: (prefix type: (function))) @function
(gadt_constructor name: (constructor) @name type: (prefix)) @constant
(gadt_constructor name: (constructor) @name type: (record) @body) @function
(field name: (field_name (variable) @name)) @field

; An instance says whose its methods are: those of the type that it speaks of last.
(instance name: (_) @as patterns: (type_patterns (name) @owner .)) @scope
(instance name: (_) @as patterns: (type_patterns (qualified id: (name) @owner) .)) @scope
(instance name: (_) @as patterns: (type_patterns (parens type: (apply constructor: (name) @owner)) .)) @scope
(instance name: (_) @as patterns: (type_patterns (parens type: (apply constructor: (qualified id: (name) @owner))) .)) @scope
(instance name: (_) @as patterns: (type_patterns (parens type: (apply constructor: (apply constructor: (name) @owner))) .)) @scope
(instance name: (_) @as patterns: (type_patterns (parens type: (apply constructor: (apply constructor: (apply constructor: (name) @owner)))) .)) @scope
(instance name: (_) @as patterns: (type_patterns (_) @owner .)) @scope

; A signature and the equations below it are one function. Without an argument it is a value, or an action that is run
; like a function.
(declarations (signature name: (variable) @name type: [(name) (qualified) (list) (tuple) (unit)]) @constant @clause)
(declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @function @clause)
(class_declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @function @clause)
(instance_declarations (signature name: [(variable) @name (prefix_id (_) @name)]) @function @clause)
(class_declarations (signature names: (binding_list name: (variable) @name)) @function @clause)
(foreign_import signature: (signature name: (variable) @name) @function)
(local_binds (signature name: (variable) @name
  type: [(function) (context type: (function)) (forall type: [(function) (context type: (function))])]) @function @clause)

(function name: (variable) @name match: (_) @body) @function @clause
(function name: (prefix_id (_) @name) match: (_) @body) @function @clause
(function (infix operator: (operator) @name) match: (_) @body) @function @clause
(function (infix operator: (infix_id (variable) @name)) match: (_) @body) @function @clause
(function parens: (function_head_parens (infix operator: (operator) @name)) match: (_) @body) @function @clause
(function parens: (function_head_parens (infix operator: (infix_id (variable) @name))) match: (_) @body) @function @clause

(declarations (bind name: (variable) @name match: (match expression: (literal))) @constant @clause)
(declarations (bind name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @function @clause)
(class_declarations (bind name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @function @clause)
(instance_declarations (bind name: [(variable) @name (prefix_id (_) @name)] match: (_) @body) @function @clause)
; A local one only where its signature says that it is a function.
((local_binds (signature name: (variable) @_name type: (function)) .
  (bind name: (variable) @name match: (_) @body) @function @clause) (#eq? @_name @name))

(pattern_synonym (signature synonym: (constructor) @name)) @function @clause
(pattern_synonym (equation synonym: (constructor) @name)) @constant @clause
(pattern_synonym (equation synonym: (record constructor: (constructor) @name))) @function @clause
(pattern_synonym (equation synonym: (infix operator: (constructor_operator) @name))) @function @clause
(pattern_synonym (equation synonym: (apply function: (constructor) @name))) @function @clause
(pattern_synonym (equation synonym: (apply function: (apply function: (constructor) @name)))) @function @clause
