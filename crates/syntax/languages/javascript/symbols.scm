; A class field that holds a function is a method to everyone who calls it.
(field_definition property: (_) @name value: (arrow_function body: (_) @body)) @method
(field_definition property: (_) @name value: (function_expression body: (_) @body)) @method
