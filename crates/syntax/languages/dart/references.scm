(import_specification uri: [(uri) @from (configurable_uri (uri) @from)] .) @all
(import_specification uri: [(uri) @from (configurable_uri (uri) @from)] . (combinator "hide")) @all
(import_specification uri: [(uri) @from (configurable_uri (uri) @from)] . (combinator "show" (identifier) @imported))
(import_specification uri: [(uri) @from (configurable_uri (uri) @from)] alias: (_) @alias)
(import_specification uri: [(uri) @from (configurable_uri (uri) @from)] "deferred" @dynamic alias: (_) @alias)
(library_export uri: (configurable_uri (uri) @from) .) @export @all
(library_export uri: (configurable_uri (uri) @from) . (combinator "hide")) @export @all
(library_export uri: (configurable_uri (uri) @from) . (combinator "show" (identifier) @imported)) @export
(part_directive uri: (_) @from) @all
(part_of_directive (uri) @from) @all

(superclass type: (_) @base)
(mixins (type) @base)
(interfaces (type) @implements)
(mixin_declaration (type) @base)

(function_signature return_type: (_) @returns name: (_) @name)
(getter_signature return_type: (_) @returns name: (_) @name)
; What a constructor with a name of its own gives back, its first name tells.
(constructor_signature . (identifier) @returns . (identifier) @name)
(constant_constructor_signature . (identifier) @returns . (identifier) @name)
(factory_constructor_signature . (identifier) @returns . (identifier) @name)
(redirecting_factory_constructor_signature . (identifier) @returns . (identifier) @name)

(formal_parameter (type) @typed name: (_) @variable)
(declaration (type) @typed (initialized_identifier_list (initialized_identifier name: (_) @variable)))
(declaration (type) @typed (static_final_declaration_list (static_final_declaration name: (_) @variable)))
(initialized_identifier name: (_) @variable value: (_) @value)
(static_final_declaration name: (_) @variable value: (_) @value)
(top_level_variable_declaration type: (_) @typed
  (initialized_identifier_list (initialized_identifier name: (_) @variable)))
(top_level_variable_declaration type: (_) @typed
  (static_final_declaration_list (static_final_declaration name: (_) @variable)))
(initialized_variable_declaration (type) @typed name: (_) @variable)
(initialized_variable_declaration name: (_) @variable value: (_) @value)
(for_statement (type) @typed name: (identifier) @variable) @reach
(for_statement name: (identifier) @variable value: (_) @items) @reach
(try_statement type: (_) @typed (catch_clause exception: (_) @variable))
(extension_type_representation type: (_) @typed name: (_) @member)

; Types that are named and bind nothing.
(type_arguments) @typed
(type_test (type) @typed)
(type_cast (type) @typed)
(type_parameter bound: (_) @typed)
(extension_declaration class: (_) @typed)
(type_alias (type) @typed)
