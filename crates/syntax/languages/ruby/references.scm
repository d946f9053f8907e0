(class superclass: (_ [(constant) (scope_resolution)] @base))
; class Create < ActiveRecord::Migration[7.1], class Point < Struct.new(:x)
(class superclass: (_ (element_reference object: (_) @base)))
(class superclass: (_ (call receiver: (_) @base)))
((assignment left: (constant) right: (_ receiver: (constant) @_class method: (identifier) @_new
  arguments: (_ . [(constant) (scope_resolution)] @base)))
  (#eq? @_class "Class") (#eq? @_new "new"))
; What is mixed in gives its methods away.
((call !receiver method: (identifier) @_include arguments: (_ [(constant) (scope_resolution)] @base))
  (#any-of? @_include "include" "extend" "prepend"))

((call method: (identifier) @_require arguments: (_ . (string . (string_content) @from .)))
  (#any-of? @_require "require" "require_relative" "load"))
((call method: (identifier) @_autoload
  arguments: (_ . (simple_symbol) @imported . (string . (string_content) @from .))) @dynamic
  (#eq? @_autoload "autoload"))

; before_action :authenticate
((call method: (identifier) @_hook !receiver arguments: (_ (simple_symbol) @called))
  (#any-of? @_hook "before_action" "after_action" "around_action" "skip_before_action" "before_validation"
    "after_validation" "before_save" "after_save" "before_create" "after_create" "before_update" "after_update"
    "before_destroy" "after_destroy" "after_commit" "after_initialize" "validate" "helper_method" "method" "send"
    "public_send" "__send__"))

((call method: (identifier) @_raise arguments: (_ . [(constant) (scope_resolution)] @typed))
  (#any-of? @_raise "raise" "rescue_from" "is_a?" "kind_of?" "instance_of?"))
(rescue exceptions: (_ [(constant) (scope_resolution)] @typed) variable: (_ (identifier) @variable))
(rescue exceptions: (_ [(constant) (scope_resolution)] @typed) !variable)
(when pattern: (pattern [(constant) (scope_resolution)] @typed))

(assignment left: (identifier) @variable
  right: [(call) (identifier) (constant) (scope_resolution) (instance_variable)] @value)
(assignment left: [(instance_variable) (class_variable)] @member
  right: [(call) (identifier) (constant) (scope_resolution) (instance_variable)] @value)
(operator_assignment left: [(instance_variable) (class_variable)] @member
  right: [(call) (identifier) (constant) (scope_resolution)] @value)
