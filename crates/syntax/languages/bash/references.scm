((command name: (command_name) @_source . argument: (_) @from @all) (#any-of? @_source "source" "."))

; trap cleanup EXIT, exec main "$@"
((command name: (command_name) @_trap . argument: (word) @called)
  (#any-of? @_trap "trap" "exec" "command" "builtin" "eval" "time" "nohup" "sudo") (#match? @called "^[A-Za-z_]"))
