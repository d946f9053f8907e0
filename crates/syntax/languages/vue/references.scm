((script_element (start_tag (attribute (attribute_name) @_lang (quoted_attribute_value (attribute_value) @language)))
  (raw_text) @embed)
  (#eq? @_lang "lang"))
((script_element (raw_text) @embed) (#set! language "javascript"))

; A tag with a capital is a component.
((start_tag (tag_name) @called) (#match? @called "^[A-Z]"))
((self_closing_tag (tag_name) @called) (#match? @called "^[A-Z]"))
