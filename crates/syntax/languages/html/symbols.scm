(comment) @comment

((element (start_tag (tag_name) @_title) . (text) @name) @section (#eq? @_title "title"))

; A heading's section ends with the next of its level, or with the part of the page it stands in.
((element (start_tag (tag_name) @_part)) @scope
  (#any-of? @_part "body" "main" "article" "section" "aside" "nav" "footer" "dialog" "template"))
((element (start_tag (tag_name) @_tag) . (text) @name) @section
  (#any-of? @_tag "h1" "H1") (#set! level "1"))
((element (start_tag (tag_name) @_tag) . (element (text) @name)) @section
  (#any-of? @_tag "h1" "H1") (#set! level "1"))
((element (start_tag (tag_name) @_tag) . (text) @name) @section
  (#any-of? @_tag "h2" "H2") (#set! level "2"))
((element (start_tag (tag_name) @_tag) . (element (text) @name)) @section
  (#any-of? @_tag "h2" "H2") (#set! level "2"))
((element (start_tag (tag_name) @_tag) . (text) @name) @section
  (#any-of? @_tag "h3" "H3") (#set! level "3"))
((element (start_tag (tag_name) @_tag) . (element (text) @name)) @section
  (#any-of? @_tag "h3" "H3") (#set! level "3"))
((element (start_tag (tag_name) @_tag) . (text) @name) @section
  (#any-of? @_tag "h4" "H4") (#set! level "4"))
((element (start_tag (tag_name) @_tag) . (element (text) @name)) @section
  (#any-of? @_tag "h4" "H4") (#set! level "4"))
((element (start_tag (tag_name) @_tag) . (text) @name) @section
  (#any-of? @_tag "h5" "H5") (#set! level "5"))
((element (start_tag (tag_name) @_tag) . (element (text) @name)) @section
  (#any-of? @_tag "h5" "H5") (#set! level "5"))
((element (start_tag (tag_name) @_tag) . (text) @name) @section
  (#any-of? @_tag "h6" "H6") (#set! level "6"))
((element (start_tag (tag_name) @_tag) . (element (text) @name)) @section
  (#any-of? @_tag "h6" "H6") (#set! level "6"))

; Links and scripts reach an element by its id. A heading is found by its words already.
((element
  (start_tag (tag_name) @_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))) . (_) @body)
  @section (#eq? @_id "id") (#not-match? @_tag "^[hH][1-6]$"))
((element (start_tag (tag_name) @_tag (attribute (attribute_name) @_id (attribute_value) @name)) . (_) @body)
  @section (#eq? @_id "id") (#not-match? @_tag "^[hH][1-6]$"))
((element (start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))) .)
  @section (#eq? @_id "id"))
((element (self_closing_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))))
  @section (#eq? @_id "id"))
