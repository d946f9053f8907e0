cmake_minimum_required(VERSION 3.20)
project(demo VERSION 1.0)
#       ^^^^ module demo
# Adds it.
function(add_thing name)
#        ^^^^^^^^^ function add_thing
  set(local ${name})
  message(STATUS "x")
endfunction()
macro(wrap_it a b)
#     ^^^^^^^ macro wrap_it
  foreach(i ${a})
  endforeach()
endmacro()
set(SOURCES a.c b.c)
#   ^^^^^^^ constant SOURCES
list(APPEND SOURCES c.c)
option(WITH_TLS "Use TLS" ON)
#      ^^^^^^^^ constant WITH_TLS
add_library(core STATIC ${SOURCES})
#           ^^^^ module core
ADD_EXECUTABLE(app main.c)
#              ^^^ module app
add_custom_target(docs)
#                 ^^^^ module docs
target_link_libraries(app PRIVATE core)
add_subdirectory(src)
include(cmake/Warnings.cmake)
if(WITH_TLS)
  add_thing(x)
  set(INNER 1)
#     ^^^^^ constant INNER
endif()
