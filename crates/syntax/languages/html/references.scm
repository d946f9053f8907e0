((script_element (start_tag (attribute (attribute_name) @_src (quoted_attribute_value (attribute_value) @from))))
  (#eq? @_src "src"))
((element (start_tag (tag_name) @_link
    (attribute (attribute_name) @_rel (quoted_attribute_value (attribute_value) @_sheet))
    (attribute (attribute_name) @_href (quoted_attribute_value (attribute_value) @from))))
  (#eq? @_link "link") (#eq? @_rel "rel") (#any-of? @_sheet "stylesheet" "modulepreload") (#eq? @_href "href"))
((element (start_tag (tag_name) @_link
    (attribute (attribute_name) @_href (quoted_attribute_value (attribute_value) @from))
    (attribute (attribute_name) @_rel (quoted_attribute_value (attribute_value) @_sheet))))
  (#eq? @_link "link") (#eq? @_rel "rel") (#any-of? @_sheet "stylesheet" "modulepreload") (#eq? @_href "href"))

; A script's type may say that it is no script at all: data, a template.
((script_element (start_tag (attribute (attribute_name) @_type (quoted_attribute_value (attribute_value) @_script)))
  (raw_text) @embed)
  (#eq? @_type "type") (#any-of? @_script "module" "text/javascript" "application/javascript" "text/babel" "text/jsx")
  (#set! language "javascript"))
((script_element (start_tag (attribute (attribute_name) @_type (quoted_attribute_value (attribute_value) @language)))
  (raw_text) @embed)
  (#any-of? @_type "type" "lang"))
((script_element (raw_text) @embed) (#set! language "javascript"))
