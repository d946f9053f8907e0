; Compiling a pattern takes time for every kind in it that has something inside, and this grammar is large: where the
; field says enough, `_` stands for the kind.

(comment) @comment

(module name: (constant) @name body: (_) @body) @module
(module name: (constant) @name !body "end" @body) @module
(module name: (_ scope: (_)? @owner name: (_) @name) body: (_) @body) @module

(class name: (constant) @name body: (_) @body) @class
(class name: (constant) @name !body "end" @body) @class
(class name: (_ scope: (_)? @owner name: (_) @name) body: (_) @body) @class
(class name: (_ scope: (_)? @owner name: (_) @name) !body "end" @body) @class

; Every other method belongs to a class or to those that include its module.
(program (method name: (_) @name body: (_) @body) @function)
(program (method name: (_) @name !body "end" @body) @function)
(method name: (_) @name body: (_) @body) @method
(method name: (_) @name !body "end" @body) @method
(singleton_method object: (constant) @owner name: (_) @name body: (_) @body) @method
(singleton_method name: (_) @name body: (_) @body) @method
(singleton_method name: (_) @name !body "end" @body) @method

; private def name
((call method: (identifier) @_modifier arguments: (_ . [
    (_ name: (_) @name body: (_) @body)
    (_ name: (_) @name !body "end" @body)])) @method
  (#any-of? @_modifier "private" "protected" "public" "module_function" "private_class_method" "public_class_method" "memoize"))

((call method: (identifier) @_define arguments: (_ . [(simple_symbol) @name (string . (string_content) @name .)])
  block: (_) @body) @method
  (#any-of? @_define "define_method" "define_singleton_method"))
((call method: (identifier) @_alias arguments: (_ . (simple_symbol) @name)) @method
  (#any-of? @_alias "alias_method" "alias_attribute"))
(alias name: (_) @name) @method
((call method: (identifier) @_delegate arguments: (_ (simple_symbol) @name)) @method
  (#eq? @_delegate "delegate"))
((call method: (identifier) @_delegate arguments: (_ . (_) (simple_symbol) @name)) @method
  (#eq? @_delegate "def_delegators"))
((call method: (identifier) @_scope arguments: (_ . (simple_symbol) @name . (lambda) @body)) @method
  (#eq? @_scope "scope"))

((call method: (identifier) @_attribute arguments: (_ (simple_symbol) @name)) @field
  (#any-of? @_attribute "attr_reader" "attr_writer" "attr_accessor" "cattr_accessor" "mattr_accessor" "class_attribute"
    "belongs_to" "has_one" "has_many" "has_and_belongs_to_many"))

; Rake
((call method: (identifier) @_task arguments: (_ . [
    (simple_symbol) @name
    (string . (string_content) @name .)
    (_ key: [(hash_key_symbol) (simple_symbol)] @name)
    (_ key: (string . (string_content) @name .))]) block: (_) @body) @function
  (#eq? @_task "task"))
((call method: (identifier) @_namespace arguments: (_ . [(simple_symbol) @name (string . (string_content) @name .)])
  block: (_) @body) @module
  (#eq? @_namespace "namespace"))

; Point = Struct.new(:x, :y) do … end
((assignment left: (constant) @name right: (_ receiver: (constant) @_struct method: (identifier) @_new block: (_)? @body)) @struct
  (#any-of? @_struct "Struct" "Data") (#any-of? @_new "new" "define"))
((assignment left: (constant) right: (_ receiver: (constant) @_struct method: (identifier) @_new
  arguments: (_ (simple_symbol) @name @field)))
  (#any-of? @_struct "Struct" "Data") (#any-of? @_new "new" "define"))
((assignment left: (constant) @name right: (_ receiver: (constant) @_class method: (identifier) @_new block: (_)? @body)) @class
  (#eq? @_class "Class") (#eq? @_new "new"))

(assignment left: (constant) @name) @constant
(assignment left: (scope_resolution scope: (_) @owner name: (_) @name)) @constant
(assignment left: (left_assignment_list (constant) @name)) @constant
(operator_assignment left: (constant) @name) @constant
