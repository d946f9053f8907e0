(comment) @comment

(rule_set (selectors) @name (block) @body) @section
(media_statement [(binary_query) (feature_query) (keyword_query) (parenthesized_query) (selector_query) (unary_query)] @name
  (block) @body) @section
(supports_statement [(binary_query) (feature_query) (keyword_query) (parenthesized_query) (selector_query) (unary_query)] @name
  (block) @body) @section
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @section
((at_rule (at_keyword) @_rule . (keyword_query) @name (block) @body) @section (#not-eq? @_rule "@property"))
((at_rule (at_keyword) @_rule . (keyword_query) @name) @constant (#eq? @_rule "@property"))
(at_rule . (at_keyword) @name . (block) @body) @section

; --name: value
((declaration . (property_name) @name) @constant (#match? @name "^--"))
