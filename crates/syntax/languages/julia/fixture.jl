# What the file says of itself is nobody's.
using LinearAlgebra
include("other.jl")

"How many."
const LIMIT = 3
#     ^^^^^ constant LIMIT
const ≅ = isequal
#     ^^^ constant ≅
counter = 0
# <- constant counter
first, second = 1, 2

abstract type Shape end
#             ^^^^^ interface Shape
abstract type Solid{T} <: Shape end
#             ^^^^^ interface Solid
primitive type Byte 8 end
#              ^^^^ type Byte

"A circle."
struct Circle{T<:Real} <: Shape
#      ^^^^^^ struct Circle
    radius::T
#   ^^^^^^ field Circle.radius
    name
#   ^^^^ field Circle.name
    Circle(r) = new{Float64}(r, "")
#   ^^^^^^ method Circle.Circle
end
Base.@kwdef mutable struct Box <: Shape
#                          ^^^ struct Box
    width::Float64 = 1.0
#   ^^^^^ field Box.width
end
struct Empty end
#      ^^^^^ struct Empty
@enum Color RED GREEN
#     ^^^^^ enum Color

function area(s::Circle; scale::Int = 1)::Float64
#        ^^^^ function area
    inner(y) = y + 1
#   ^^^^^ function area.inner
    local_value = inner(s.radius)
    return pi * local_value^2
end
area(b::Box) = b.width^2
# <- function area~23b6
perimeter(x::T) where {T<:Shape} = 0
# <- function perimeter
function Base.show(io::IO, s::Shape) where {T}
#             ^^^^ function show
    print(io, "shape")
end
Base.length(s::Shape) = 1
#    ^^^^^^ function length
+(a::Circle, b::Circle) = Circle(a.radius + b.radius)
# <- function +
Base.:-(a::Circle) = a
#     ^ function -
@inline fast(x) = x
#       ^^^^ function fast
function later end
#        ^^^^^ function later
double = x -> 2x
# <- constant double
(c::Circle)(x) = x

macro unless(test, body)
#     ^^^^^^ macro unless
    :($test ? nothing : $body)
end

module Inner
#      ^^^^^ module Inner
export hidden
hidden() = 1
# <- function Inner.hidden
const DEPTH = 2
#     ^^^^^ constant Inner.DEPTH
end
