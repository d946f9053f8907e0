(comment) @comment

; Everything is asked of the document, so that the rest of a large file costs nothing but the walk.
(document (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @name value: (block_node (block_mapping) @body)) @section)))
(document (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @name value: (block_node) @body) @field)))
(document (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @name) @field)))
(document (block_node (block_mapping
  (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @name value: (block_node (block_mapping) @body)) @section))))))
(document (block_node (block_mapping
  (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @name value: (block_node) @body) @field))))))
(document (block_node (block_mapping
  (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @name) @field))))))
(document (block_node (block_mapping
  (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @name value: (block_node (block_mapping) @body)) @section)))))))))
