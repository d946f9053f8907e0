; library(p), requireNamespace("p"), source("file.R")
((call function: (identifier) @_how arguments: (arguments . argument: (argument value: (identifier) @from))) @all
  (#any-of? @_how "library" "require"))
((call function: (identifier) @_how arguments: (arguments . argument: (argument value: (string content: (_) @from)))) @all
  (#any-of? @_how "library" "require" "source" "sys.source"))
((call function: (identifier) @_how arguments: (arguments . argument: (argument value: (string content: (_) @from))))
  (#any-of? @_how "requireNamespace" "loadNamespace"))
((call function: (namespace_operator) @_how arguments: (arguments .
    argument: (argument value: [(identifier) @from (string content: (_) @from)])
    argument: (argument value: [(identifier) @imported (string content: (_) @imported)])))
  (#eq? @_how "import::from"))

((argument name: (identifier) @_part value: (identifier) @base) (#eq? @_part "inherit"))
((argument name: (identifier) @_part value: (namespace_operator) @base) (#eq? @_part "inherit"))

(parameter name: (identifier) @variable)
(binary_operator lhs: (identifier) @variable operator: ["<-" "="] rhs: (call) @value)
((binary_operator lhs: (extract_operator lhs: (identifier) @_self rhs: (identifier) @member) rhs: (call) @value)
  (#eq? @_self "self"))
; x %>% f
((binary_operator operator: "special" @_pipe rhs: (identifier) @called) (#any-of? @_pipe "%>%" "%<>%" "%T>%"))
