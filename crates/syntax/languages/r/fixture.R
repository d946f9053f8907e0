# What the file says of itself is nobody's.

library(stats)

limit <- 3
# <- constant limit
TABLE = list(one = 1)
# <- constant TABLE
names(TABLE) <- "first"

#' How large it is.
area <- function(x, scale = 1, ...) {
# <- function area
  inner <- function(y) y + 1
# ^^^^^ function area.inner
  value <- inner(x)
  UseMethod("area")
}
area.circle <- function(x, ...) pi * x$radius^2
# <- function area.circle
double = \(x) x * 2
# <- function double
`%+%` <- function(a, b) paste0(a, b)
#^^^ function %+%
"quoted" <- function() 1
#^^^^^^ function quoted

Person <- R6::R6Class("Person",
# <- class Person
  inherit = Base,
  public = list(
    name = NULL,
#   ^^^^ field Person.name
    initialize = function(name) self$name <- name,
#   ^^^^^^^^^^ method Person.initialize
    greet = function() private$secret()
#   ^^^^^ method Person.greet
  ),
  private = list(secret = function() 1),
#                ^^^^^^ method Person.secret
  active = list(full = function() 2)
#               ^^^^ method Person.full
)

setClass("Shape", representation(x = "numeric"))
#         ^^^^^ class Shape
setGeneric("perimeter", function(shape) standardGeneric("perimeter"))
#           ^^^^^^^^^ function perimeter
setMethod("perimeter", "Shape", function(shape) shape@x)
#          ^^^^^^^^^ method Shape.perimeter
setMethod("show", signature(object = "Shape"), function(object) cat("shape"))
#          ^^^^ method Shape.show

Account <- setRefClass("Account",
# <- class Account
  fields = list(balance = "numeric"),
#               ^^^^^^^ field Account.balance
  methods = list(deposit = function(x) balance <<- balance + x)
#                ^^^^^^^ method Account.deposit
)

if (interactive()) {
  helper <- function() 2
# ^^^^^^ function helper
}
lapply(1:3, FUN = function(i) i)
