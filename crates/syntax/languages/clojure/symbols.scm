(comment) @comment
(dis_expr) @comment

; Everything is a list; its first word says what it defines. Documentation stands between the name and the parameters.
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name) . (str_lit)? @docstring @lead . (map_lit)? . (vec_lit) . (_) @body) @function
  (#any-of? @_def "defn" "defn-" "deftest" "defn-spec" "s/defn" "mu/defn" "defnp" "defn-traced" "defui" "defnc" "rum/defc"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name) . (str_lit)? @docstring @lead . (map_lit)? . (list_lit) @body) @function
  (#any-of? @_def "defn" "defn-" "deftest" "s/defn" "mu/defn"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name) . (kwd_lit) . (_) . (str_lit)? @docstring @lead . (vec_lit) . (_) @body) @function
  (#any-of? @_def "s/defn" "mu/defn"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name)) @function
  (#any-of? @_def "defn" "defn-" "deftest" "defn-spec" "s/defn" "mu/defn" "defnp" "defn-traced" "defui" "defnc" "rum/defc"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name) . (str_lit)? @docstring @lead . (map_lit)? . (vec_lit) . (_) @body) @macro
  (#eq? @_def "defmacro"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name) . (str_lit)? @docstring @lead . (map_lit)? . (list_lit) @body) @macro
  (#eq? @_def "defmacro"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name) . (str_lit) @docstring @lead . (_) @body) @function
  (#eq? @_def "defmulti"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name)) @function (#eq? @_def "defmulti"))
; A method of a multimethod is one of several, told apart by what it is for.
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @owner) . (_) @name . (vec_lit) . (_) @body) @method
  (#eq? @_def "defmethod"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @owner) . (_) @name) @method (#eq? @_def "defmethod"))

((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name) . (str_lit)? @docstring @lead . (list_lit . (sym_lit) @_fn) @body .) @function
  (#any-of? @_def "def" "defonce") (#any-of? @_fn "fn" "fn*" "partial" "comp" "memoize"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name) . (str_lit) @docstring @lead . (_) @body .) @constant
  (#any-of? @_def "def" "defonce"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name) . [(list_lit) (map_lit) (vec_lit) (set_lit)] @body .) @constant
  (#any-of? @_def "def" "defonce"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name)) @constant (#any-of? @_def "def" "defonce"))

((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name) . (str_lit)? @docstring @lead . (list_lit) @body) @interface
  (#any-of? @_def "defprotocol" "definterface"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name)) @interface
  (#any-of? @_def "defprotocol" "definterface"))
((list_lit . value: (sym_lit) @_def . (sym_lit) (list_lit . (sym_lit name: (sym_name) @name) (str_lit) @docstring @body @lead .) @method)
  (#any-of? @_def "defprotocol" "definterface"))
((list_lit . value: (sym_lit) @_def . (sym_lit) (list_lit . (sym_lit name: (sym_name) @name)) @method)
  (#any-of? @_def "defprotocol" "definterface"))

((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name) . (vec_lit) . (_) @body) @struct
  (#any-of? @_def "defrecord" "deftype"))
((list_lit . value: (sym_lit) @_def . (sym_lit name: (sym_name) @name) . (vec_lit)) @struct
  (#any-of? @_def "defrecord" "deftype"))
((list_lit . value: (sym_lit) @_def . (sym_lit) . (vec_lit (sym_lit name: (sym_name) @name) @field))
  (#any-of? @_def "defrecord" "deftype"))
((list_lit . value: (sym_lit) @_def . (sym_lit) . (vec_lit) (list_lit . (sym_lit name: (sym_name) @name) . (vec_lit) . (_) @body) @method)
  (#any-of? @_def "defrecord" "deftype"))
((list_lit . value: (sym_lit) @_def . (sym_lit) . (vec_lit) (list_lit . (sym_lit name: (sym_name) @name)) @method)
  (#any-of? @_def "defrecord" "deftype"))

; Members given to a type from outside, or to several for one protocol.
((list_lit . value: (sym_lit) @_def . (sym_lit) @owner) @scope (#any-of? @_def "extend-type" "extend-protocol"))
((list_lit . value: (sym_lit) @_def . (sym_lit) (list_lit . (sym_lit name: (sym_name) @name) . (vec_lit) . (_) @body) @method)
  (#any-of? @_def "extend-type" "extend-protocol"))
; Objects made on the spot, and local functions.
((list_lit . value: (sym_lit) @_def (list_lit . (sym_lit name: (sym_name) @name) . (vec_lit) . (_) @body) @method)
  (#any-of? @_def "reify" "proxy"))
((list_lit . value: (sym_lit) @_def . (vec_lit (list_lit . (sym_lit name: (sym_name) @name) . (vec_lit) . (_) @body) @function))
  (#eq? @_def "letfn"))
