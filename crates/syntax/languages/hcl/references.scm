((block . (identifier) @_is . (string_lit (template_literal) @alias)
  (body (attribute . (identifier) @_source . (expression (literal_value (string_lit (template_literal) @from))))))
  (#eq? @_is "module") (#eq? @_source "source"))

; var.x, local.x, module.x; data.type.x; type.x
((expression . (variable_expr (identifier) @_of) . (get_attr (identifier) @called))
  (#any-of? @_of "var" "local" "module"))
((expression . (variable_expr (identifier) @_of) . (get_attr) . (get_attr (identifier) @called)) (#eq? @_of "data"))
((expression . (variable_expr (identifier) @_of) . (get_attr (identifier) @called))
  (#match? @_of "_"))
