(comment) @comment

((block . (identifier) @_is . (string_lit (template_literal) @owner) . (string_lit (template_literal) @name) . (block_start) @body) @struct
  (#any-of? @_is "resource" "data" "ephemeral"))
((block . (identifier) @_is . (string_lit (template_literal) @name) . (block_start) @body) @constant
  (#any-of? @_is "variable" "output"))
((block . (identifier) @_is . (string_lit (template_literal) @name) . (block_start) @body) @module
  (#eq? @_is "module"))
((block . (identifier) @_is (block_start) (body (attribute . (identifier) @name) @constant)) (#eq? @_is "locals"))
(config_file (body (attribute . (identifier) @name) @constant))

; Any other block with a label, and blocks of the whole file without one.
(block . (identifier) (string_lit (template_literal) @name) . (block_start) @body) @section
((config_file (body (block . (identifier) @name . (block_start) @body) @section)) (#not-eq? @name "locals"))
