# The station and its libraries.
cmake_minimum_required(VERSION 3.24)
project(station VERSION 2.1.0 LANGUAGES C CXX)

set(CMAKE_CXX_STANDARD 20)
set(STATION_SOURCES
    src/gate.cpp
    src/lamp.cpp
    src/radio.cpp)
list(APPEND STATION_SOURCES src/main.cpp)

# Whether pages are served at all.
option(STATION_PAGES "Serve pages" ON)
option(STATION_TESTS "Build the tests" OFF)
set(STATION_PREFIX "/usr/local" CACHE PATH "Where it goes")

include(GNUInstallDirs)
include(cmake/Warnings.cmake)
find_package(Threads REQUIRED)
find_package(Boost 1.80 COMPONENTS asio)

#[[
Makes a library of one part of the station.

Its sources are the files named after it.
]]
function(station_library name)
  cmake_parse_arguments(ARG "STATIC" "OUTPUT" "NEEDS" ${ARGN})
  set(sources src/${name}.cpp)
  add_library(station_${name} STATIC ${sources})
  target_include_directories(station_${name} PUBLIC include)
  if(ARG_NEEDS)
    target_link_libraries(station_${name} PUBLIC ${ARG_NEEDS})
  endif()
  station_warnings(station_${name})
endfunction()

# The same for a test.
macro(station_test name)
  if(STATION_TESTS)
    add_executable(test_${name} test/${name}.cpp)
    target_link_libraries(test_${name} PRIVATE core)
    add_test(NAME ${name} COMMAND test_${name})
  endif()
endmacro()

add_library(core STATIC src/core.cpp)
target_link_libraries(core PUBLIC Threads::Threads)

add_executable(station ${STATION_SOURCES})
target_link_libraries(station PRIVATE core Boost::asio)
target_compile_definitions(station PRIVATE VERSION="${PROJECT_VERSION}")

station_library(gate NEEDS core)
station_library(lamp)

if(STATION_PAGES)
  add_subdirectory(pages)
  add_custom_target(serve COMMAND station --pages)
  add_dependencies(serve station pages)
elseif(WIN32)
  message(WARNING "no pages on this system")
else()
  message(STATUS "no pages")
endif()

foreach(part IN ITEMS gate lamp radio)
  station_test(${part})
endforeach()

while(NOT DONE)
  set(DONE TRUE)
endwhile()

install(TARGETS station RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
