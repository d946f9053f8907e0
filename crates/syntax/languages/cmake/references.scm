((normal_command (identifier) @_does (argument_list . (argument) @from))
  (#match? @_does "^(?i)(include|add_subdirectory|find_package)$"))

; What a target needs, and the words between.
((normal_command (identifier) @_does (argument_list) @called)
  (#match? @_does "^(?i)(target_link_libraries|add_dependencies)$"))
