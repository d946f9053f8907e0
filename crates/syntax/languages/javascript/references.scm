(class_declaration (class_heritage (_) @base))
(class (class_heritage (_) @base))
(field_definition property: (_) @member value: [(call_expression) (new_expression)] @value)
