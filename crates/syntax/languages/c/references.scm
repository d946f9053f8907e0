(preproc_include path: [(string_literal) (system_lib_string)] @from) @all

(function_definition type: (_) @typed declarator: (_) @variable)
(declaration type: (_) @typed declarator: (_) @variable)
(field_declaration type: (_) @typed declarator: (_) @member)
(parameter_declaration type: (_) @typed
  declarator: [(identifier) (pointer_declarator) (array_declarator) (function_declarator)] @variable)
