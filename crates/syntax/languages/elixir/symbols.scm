; Everything is a call here; the words in the predicates are what the gate looks at first. Compiling a pattern takes
; time for every kind in it that has something inside: where a field says enough, `_` stands for the kind.

(comment) @comment

((call target: (identifier) @_module (arguments . [(alias) @name (dot right: (alias) @name)]) (do_block) @body) @module
  (#eq? @_module "defmodule"))
((call target: (identifier) @_protocol (arguments . (alias) @name) (do_block) @body) @interface
  (#eq? @_protocol "defprotocol"))
((call target: (identifier) @_module (arguments . [(alias) (dot)]) (do_block (_ operator: "@" operand: (_
    target: (identifier) @_doc
    (arguments (_ (quoted_content) @docstring))))) @body)
  (#any-of? @_module "defmodule" "defprotocol") (#eq? @_doc "moduledoc"))

; An implementation is no symbol, but it says whose the functions are.
((call target: (identifier) @_impl (arguments . (alias) @as (keywords (_ value: (alias) @owner))) (do_block)) @scope
  (#eq? @_impl "defimpl"))
((call target: (identifier) @_impl (arguments . (alias) @as (keywords (_ value: (list . (alias) @owner)))) (do_block)) @scope
  (#eq? @_impl "defimpl"))

; def name(…) do … end, then def name(…), do: …, then heads without a body. Clauses of one name and arity are one.
((call target: (identifier) @_def (arguments . [
    (_ target: (identifier) @name (arguments) @clause)
    (identifier) @name @clause
    (_ left: (_ target: (identifier) @name (arguments) @clause) operator: "when")]) (do_block) @body) @function
  (#any-of? @_def "def" "defp" "defn" "defnp"))
((call target: (identifier) @_def (arguments . [
    (_ target: (identifier) @name (arguments) @clause)
    (identifier) @name @clause
    (_ left: (_ target: (identifier) @name (arguments) @clause) operator: "when")] . (keywords) @body)) @function
  (#any-of? @_def "def" "defp" "defn" "defnp" "defdelegate"))
((call target: (identifier) @_def (arguments . [
    (_ target: (identifier) @name (arguments) @clause)
    (identifier) @name @clause
    (_ left: (_ target: (identifier) @name (arguments) @clause) operator: "when")])) @function
  (#any-of? @_def "def" "defp" "defn" "defnp"))
((call target: (identifier) @_def (arguments . (binary_operator operator: _ @name)) (do_block) @body) @function
  (#any-of? @_def "def" "defp") (#not-eq? @name "when"))
((call target: (identifier) @_def (arguments . (binary_operator left: (_) operator: _ @name right: (_)) (keywords) @body)) @function
  (#any-of? @_def "def" "defp") (#not-eq? @name "when"))
((call target: (identifier) @_macro (arguments . [
    (_ target: (identifier) @name (arguments) @clause)
    (identifier) @name @clause
    (_ left: (_ target: (identifier) @name (arguments) @clause) operator: "when")]) (do_block) @body) @macro
  (#any-of? @_macro "defmacro" "defmacrop"))
((call target: (identifier) @_macro (arguments . [
    (_ target: (identifier) @name (arguments) @clause)
    (identifier) @name @clause
    (_ left: (_ target: (identifier) @name (arguments) @clause) operator: "when")] . (keywords) @body)) @macro
  (#any-of? @_macro "defmacro" "defmacrop"))
((call target: (identifier) @_macro (arguments . [
    (_ target: (identifier) @name (arguments) @clause)
    (identifier) @name @clause
    (_ left: (_ target: (identifier) @name (arguments) @clause) operator: "when")])) @macro
  (#any-of? @_macro "defmacro" "defmacrop" "defguard" "defguardp"))

; Fields of structs, exceptions and schemas
((call target: (identifier) @_struct (arguments (list (atom) @name @field)))
  (#any-of? @_struct "defstruct" "defexception"))
((call target: (identifier) @_struct (arguments (list (keywords (_ key: (keyword) @name) @field))))
  (#any-of? @_struct "defstruct" "defexception"))
((call target: (identifier) @_struct (arguments (keywords (_ key: (keyword) @name) @field)))
  (#any-of? @_struct "defstruct" "defexception"))
((call target: (identifier) @_field (arguments . (atom) @name . (_))) @field
  (#any-of? @_field "field" "belongs_to" "has_one" "has_many" "many_to_many" "embeds_one" "embeds_many"))

((unary_operator operator: "@" operand: (_ target: (identifier) @_type (arguments . (binary_operator
    left: [(identifier) @name (_ target: (identifier) @name)] operator: "::")))) @type
  (#any-of? @_type "type" "typep" "opaque"))
((unary_operator operator: "@" operand: (_ target: (identifier) @_callback (arguments . (binary_operator left: [
    (identifier) @name
    (_ target: (identifier) @name)
    (_ left: (_ target: (identifier) @name) operator: "::")])))) @method
  (#any-of? @_callback "callback" "macrocallback"))
((unary_operator operator: "@" operand: (_ target: (identifier) @name (arguments))) @constant
  (#not-any-of? @name "doc" "moduledoc" "typedoc" "shortdoc" "spec" "type" "typep" "opaque" "callback" "macrocallback"
    "optional_callbacks" "impl" "behaviour" "derive" "enforce_keys" "deprecated" "since" "dialyzer" "compile"
    "external_resource" "before_compile" "after_compile" "after_verify" "on_load" "on_definition" "tag" "moduletag"
    "describetag" "attr" "slot" "fallback_to_any"))

((unary_operator operator: "@" operand: (_ target: (identifier) @_attribute)) @lead
  (#any-of? @_attribute "doc" "typedoc" "spec" "impl" "deprecated" "since" "dialyzer" "derive" "enforce_keys" "tag" "fallback_to_any"))
((unary_operator operator: "@" operand: (_ target: (identifier) @_doc
    (arguments (_ (quoted_content) @docstring)))) @lead
  (#any-of? @_doc "doc" "typedoc"))
