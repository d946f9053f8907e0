# Reading and cleaning of measurements of the weather.

library(dplyr)
suppressPackageStartupMessages(library("lubridate"))
requireNamespace("jsonlite", quietly = TRUE)
source("R/stations.R")

# Hours without a reading that are filled in.
MAX_GAP <- 6
units <- c(temperature = "C", wind = "m/s")
cache <- new.env(parent = emptyenv())

#' Read the measurements of one station
#'
#' Lines that cannot be read are left out, with a warning.
#'
#' @param path A file with one measurement on each line.
#' @param station The name of the station.
#' @return A data frame, ordered by time.
#' @export
read_measurements <- function(path, station = basename(path), ...) {
  raw <- utils::read.csv(path, stringsAsFactors = FALSE, ...)
  parsed <- lapply(raw$time, parse_time)
  bad <- vapply(parsed, is.null, logical(1))
  if (any(bad)) {
    warning(sprintf("%s: %d lines left out", station, sum(bad)))
  }
  frame <- data.frame(time = do.call(c, parsed[!bad]), value = raw$value[!bad])
  structure(frame[order(frame$time), ], class = c("measurements", "data.frame"))
}

parse_time <- function(text) {
  tryCatch(ymd_hms(text), error = function(problem) NULL)
}

#' @export
print.measurements <- function(x, ...) {
  cat(format_header(x), "\n")
  NextMethod()
}

#' @export
summary.measurements <- function(object, by = "day", ...) {
  by <- match.arg(by, c("day", "month"))
  object %>%
    fill_gaps() %>%
    group_by(period = floor_date(time, by)) %>%
    summarise(mean = mean(value), highest = max(value)) %>%
    ungroup
}

format_header <- function(x) {
  paste(nrow(x), "measurements,", paste(range(x$time), collapse = " to "))
}

#' Fill short gaps with what was measured before
fill_gaps <- function(x, longest = MAX_GAP) {
  step <- function(previous, current) {
    if (is.na(current)) previous else current
  }
  gaps <- rle(is.na(x$value))
  if (max(gaps$lengths[gaps$values], 0) > longest) {
    stop("a gap is too long")
  }
  x$value <- Reduce(step, x$value, accumulate = TRUE)
  x
}

`%between%` <- function(x, range) x >= range[1] & x <= range[2]

is_plausible = \(value) value %between% c(-60, 60)

#' A station that sends measurements
Station <- R6::R6Class(
  "Station",
  inherit = Device,
  public = list(
    name = NULL,
    interval = 60,

    #' @description Make a station.
    initialize = function(name, connection) {
      super$initialize(connection)
      self$name <- name
      private$buffer <- Buffer$new(size = 100)
    },

    #' @description Take one measurement.
    measure = function() {
      value <- private$read_sensor()
      if (!is_plausible(value)) {
        return(invisible(self))
      }
      private$buffer$add(value)
      self$notify("measured", value)
    }
  ),
  private = list(
    buffer = NULL,
    read_sensor = function() self$connection$read(self$interval)
  ),
  active = list(
    latest = function() private$buffer$last()
  )
)

setClass("Forecast", representation(issued = "POSIXct", values = "numeric"))

setGeneric("horizon", function(object, ...) standardGeneric("horizon"))

setMethod("horizon", "Forecast", function(object, ...) {
  length(object@values)
})

setMethod("show", signature(object = "Forecast"), function(object) {
  cat("forecast for", horizon(object), "hours\n")
})

Archive <- setRefClass("Archive",
  fields = list(path = "character", entries = "list"),
  methods = list(
    store = function(key, value) {
      entries[[key]] <<- value
      save_entry(path, key, value)
    },
    load = function(key) entries[[key]]
  )
)

remember <- function(key, make) {
  if (!exists(key, envir = cache)) {
    assign(key, make(), envir = cache)
  }
  get(key, envir = cache)
}

main <- function(arguments = commandArgs(trailingOnly = TRUE)) {
  station <- Station$new("north", connect(arguments[1]))
  measured <- remember("north", function() read_measurements(arguments[2]))
  station$measure()
  report <- measured |> summary(by = "month") |> jsonlite::toJSON()
  writeLines(report)
}

if (!interactive()) main()
