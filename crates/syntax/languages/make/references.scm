(include_directive filenames: (list (word) @from))

; What a target needs; .PHONY needs nothing.
((rule (targets . (_) @_target) normal: (prerequisites (word) @called)) (#not-match? @_target "^\\.[A-Z_]+$"))
((rule (targets . (_) @_target) order_only: (prerequisites (word) @called)) (#not-match? @_target "^\\.[A-Z_]+$"))
