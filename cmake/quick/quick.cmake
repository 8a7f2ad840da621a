# SPDX-License-Identifier: Apache-2.0
# MEMTRACE_QUICK_BUILD: what makes compiling the analyzer and the tests quicker. The presets of
# scripts/test have it; `release` has none of it.
#
# - Templates of fmt and of the JSON library are compiled once (instances.cpp).
# - Debug information of the analyzer has functions and lines, and no variables.
# - Unit tests are compiled without optimisation. What they test keeps its own options. Small ones
#   are compiled in batches (tests/unit/batches.cmake).
# - The address sanitizer's build precompiles headers for the analyzer. The other builds do not, so
#   that a missing #include is found.
option(MEMTRACE_QUICK_BUILD "Compile the analyzer and the tests quicker" OFF)

add_library(memtrace_quick INTERFACE)
add_library(memtrace_quick_tests INTERFACE)
if(MEMTRACE_QUICK_BUILD)
  target_include_directories(memtrace_quick SYSTEM INTERFACE ${CMAKE_CURRENT_LIST_DIR})
  target_compile_options(memtrace_quick INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-g1>)
  target_compile_options(memtrace_quick_tests INTERFACE -O0 -g1)
endif()

# Called when the libraries of all rooms of the analyzer are complete.
function(memtrace_quick_rooms)
  if(NOT MEMTRACE_QUICK_BUILD)
    return()
  endif()
  target_sources(memtrace_analyzer_base PRIVATE ${CMAKE_SOURCE_DIR}/cmake/quick/instances.cpp)
  if(NOT MEMTRACE_SANITIZE MATCHES "address")
    return()
  endif()
  target_precompile_headers(memtrace_analyzer_base PRIVATE <algorithm> <cstdint> <functional> <map>
                            <memory> <optional> <string> <string_view> <unordered_map> <vector>
                            <fmt/format.h> <nlohmann/json.hpp>)
  foreach(room ${ARGN})
    get_target_property(type memtrace_analyzer_${room} TYPE)
    if(type STREQUAL "OBJECT_LIBRARY" AND NOT room STREQUAL "base")
      target_precompile_headers(memtrace_analyzer_${room} REUSE_FROM memtrace_analyzer_base)
    endif()
  endforeach()
endfunction()
