((call target: (identifier) @_alias (arguments . [(alias) (dot right: (alias))] @from .)) (#any-of? @_alias "alias" "require"))
((call target: (identifier) @_alias (arguments . [(alias) (dot)] @from
  (keywords (_ key: (keyword) @_as value: (alias) @alias))))
  (#any-of? @_alias "alias" "require") (#match? @_as "^as:"))
((call target: (identifier) @_alias (arguments . (dot left: (_) @from right: (tuple (alias) @imported))))
  (#any-of? @_alias "alias" "require" "import" "use"))
((call target: (identifier) @_import (arguments . (alias) @from @all .)) (#eq? @_import "import"))
((call target: (identifier) @_import (arguments . (alias) @from @all (keywords . (pair) @_what)))
  (#eq? @_import "import") (#match? @_what "^(except|only: *:|warn)"))
((call target: (identifier) @_import (arguments . (alias) @from
  (keywords (_ key: (keyword) @_only value: (_ (keywords (_ key: (keyword) @imported)))))))
  (#eq? @_import "import") (#match? @_only "^only:"))
; What a module brings into those that use it can be anything.
((call target: (identifier) @_use (arguments . [(alias) (dot right: (alias))] @from @all)) (#eq? @_use "use"))

((call target: (identifier) @_impl (arguments . (alias) @implements) (do_block)) (#eq? @_impl "defimpl"))
((unary_operator operator: "@" operand: (_ target: (identifier) @_behaviour (arguments . (alias) @implements)))
  (#eq? @_behaviour "behaviour"))

; x |> name, &name/1
(binary_operator operator: "|>" right: (identifier) @called)
(unary_operator operator: "&" operand: (_ left: (identifier) @called operator: "/"))

; In a specification types are written like calls; of any other attribute only the attribute itself is.
((unary_operator operator: "@" operand: (_ target: (identifier) @_spec (arguments) @typed) @uncalled)
  (#any-of? @_spec "spec" "type" "typep" "opaque" "callback" "macrocallback"))
(unary_operator operator: "@" operand: (_ target: (identifier) @uncalled))

; user.name is a field, user.name() would be a call.
((call . target: (dot left: [(identifier) (unary_operator)] @uncalled) .) (#not-eq? @uncalled "__MODULE__"))

((call target: (identifier) @_field (arguments . (atom) . (alias) @typed))
  (#any-of? @_field "belongs_to" "has_one" "has_many" "many_to_many" "embeds_one" "embeds_many"))
(binary_operator left: (identifier) @variable operator: "=" right: (alias) @value)
