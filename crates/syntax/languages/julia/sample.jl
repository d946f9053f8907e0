"""
Fitting of straight lines, with weights and without.

Points are given as two vectors of the same length.
"""
module Fitting

using LinearAlgebra
using Statistics: mean, var
import Base: show, length
import Printf as P
using ..Tables: Table, column

export Line, Weighted, fit, residuals, @checked

include("weights.jl")
include(joinpath("plots", "plot.jl"))

"Below this, a slope counts as nothing."
const TOLERANCE = 1e-9
const Point = Tuple{Float64,Float64}

const registry = Dict{Symbol,Function}()

"""
What a model has to have.

Each gives its coefficients as a vector.
"""
abstract type Model end
abstract type Linear{T<:Real} <: Model end

"""
    Line(slope, intercept)

A straight line.
"""
struct Line{T<:Real} <: Linear{T}
    slope::T
    "Where it meets the axis."
    intercept::T
    function Line{T}(slope, intercept) where {T<:Real}
        isfinite(slope) || throw(DomainError(slope))
        return new{T}(slope, intercept)
    end
end

Line(slope::T, intercept::T) where {T<:Real} = Line{T}(slope, intercept)

"A model with a weight for each point."
Base.@kwdef mutable struct Weighted{M<:Model}
    model::M
    weights::Vector{Float64} = Float64[]
    tries::Int = 0
end

@enum Method LEAST_SQUARES=1 THEIL_SEN=2

coefficients(line::Line) = [line.intercept, line.slope]
coefficients(weighted::Weighted) = coefficients(weighted.model)

"""
    fit(xs, ys; method = LEAST_SQUARES)

The line that is nearest to the points.

# Examples
```julia
fit([1, 2, 3], [2, 4, 6])
```
"""
function fit(xs::AbstractVector, ys::AbstractVector; method::Method = LEAST_SQUARES)::Line
    length(xs) == length(ys) || throw(DimensionMismatch("points need both coordinates"))
    if method == THEIL_SEN
        return theil_sen(xs, ys)
    end
    centre(v) = v .- mean(v)
    dx, dy = centre(xs), centre(ys)
    slope = dot(dx, dy) / dot(dx, dx)
    return Line(slope, mean(ys) - slope * mean(xs))
end

fit(table::Table, x::Symbol, y::Symbol) = fit(column(table, x), column(table, y))

function fit(points::Vector{Point})
    xs = first.(points)
    ys = map(points) do point
        last(point)
    end
    fit(xs, ys)
end

function theil_sen(xs, ys)
    n = length(xs)
    slopes = [slope_between(xs, ys, i, j) for i in 1:n for j in i+1:n]
    slope = Statistics.median(slopes)
    intercept = ys .- slope .* xs |> Statistics.median
    Line(slope, intercept)
end

slope_between(xs, ys, i, j) = (ys[j] - ys[i]) / (xs[j] - xs[i])

"How far each point is from the line."
residuals(line::Line, xs, ys) = ys .- predict.(Ref(line), xs)

predict(line::Line, x::Real) = line.intercept + line.slope * x
predict(model::Model, x) = coefficients(model)' * [1, x]

(line::Line)(x) = predict(line, x)

function reweigh!(weighted::Weighted{<:Line}, xs, ys)
    distances = abs.(residuals(weighted.model, xs, ys))
    weighted.weights = 1 ./ max.(distances, TOLERANCE)
    weighted.tries += 1
    return weighted
end

Base.length(line::Line) = 2
Base.:+(a::Line, b::Line) = Line(a.slope + b.slope, a.intercept + b.intercept)

function Base.show(io::IO, line::Line)
    P.@printf(io, "y = %.3f x", line.slope)
    is_flat(line) && print(io, " (flat)")
end

is_flat(line) = abs(line.slope) < TOLERANCE

"Runs an expression and says where it stood when it fails."
macro checked(expression)
    where_ = string(__source__)
    quote
        try
            $(esc(expression))
        catch problem
            @warn "failed" $where_ problem
            rethrow()
        end
    end
end

register(name::Symbol, f::Function) = (registry[name] = f)

function __init__()
    register(:line, fit)
    register(:robust, (xs, ys) -> @checked theil_sen(xs, ys))
end

end # module
