(comment) @comment

; Everything is asked of the document, so that the rest of a large file costs nothing but the walk.
(document (object (pair key: (string) @name value: (object) @body) @section))
(document (object (pair key: (string) @name value: [(string) (number) (true) (false) (null)]) @field))
(document (object (pair key: (string) @name value: (array) @body) @field))
(document (object (pair value: (object (pair key: (string) @name value: (object) @body) @section))))
(document (object (pair value: (object
  (pair key: (string) @name value: [(string) (number) (true) (false) (null)]) @field))))
(document (object (pair value: (object (pair key: (string) @name value: (array) @body) @field))))
(document (object (pair value: (object (pair value: (object (pair key: (string) @name value: (object) @body) @section))))))
