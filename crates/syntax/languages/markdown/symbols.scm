; A heading's section ends where the next of its level begins, however either is written: the grammar's own
; sections do not know headings that are underlined.
((section (atx_heading (atx_h1_marker) heading_content: (inline) @name) @section) (#set! level "1"))
((section (atx_heading (atx_h2_marker) heading_content: (inline) @name) @section) (#set! level "2"))
((section (atx_heading (atx_h3_marker) heading_content: (inline) @name) @section) (#set! level "3"))
((section (atx_heading (atx_h4_marker) heading_content: (inline) @name) @section) (#set! level "4"))
((section (atx_heading (atx_h5_marker) heading_content: (inline) @name) @section) (#set! level "5"))
((section (atx_heading (atx_h6_marker) heading_content: (inline) @name) @section) (#set! level "6"))
((section (setext_heading heading_content: (paragraph (inline) @name) (setext_h1_underline) @body) @section)
  (#set! level "1"))
((section (setext_heading heading_content: (paragraph (inline) @name) (setext_h2_underline) @body) @section)
  (#set! level "2"))

; A heading inside of these ends no section around them.
(block_quote) @scope
(list) @scope
