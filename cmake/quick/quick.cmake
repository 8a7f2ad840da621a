# SPDX-License-Identifier: Apache-2.0
# MEMTRACE_QUICK_BUILD: what makes compiling the analyzer and the tests quicker. The presets of
# scripts/test have it; `release` has none of it.
#
# - Templates of fmt and of the JSON library are compiled once (instances.cpp).
# - Debug information of the analyzer has functions and lines, and no variables.
# - Unit tests are compiled without optimisation. What they test keeps its own options. Small ones
#   are compiled in batches (tests/unit/batches.cmake).
# - The address sanitizer's build compiles the analyzer without optimisation, and the sources of a
#   room at once. The other builds do not, so that a missing #include is found.
option(MEMTRACE_QUICK_BUILD "Compile the analyzer and the tests quicker" OFF)

add_library(memtrace_quick INTERFACE)
add_library(memtrace_quick_tests INTERFACE)
if(MEMTRACE_QUICK_BUILD)
  target_include_directories(memtrace_quick SYSTEM INTERFACE ${CMAKE_CURRENT_LIST_DIR})
  target_compile_options(memtrace_quick INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-g1>)
  target_compile_options(memtrace_quick_tests INTERFACE -O0 -g1)
endif()

# Sources whose own names (of anonymous namespaces) another source of their room has, too: they are
# compiled by themselves. A new clash is a "redefinition" there: rename one, or add its source here.
set(memtrace_compiled_alone
    arrays/array_sites.cpp base/terminal.cpp charts/report_phases.cpp charts/report_temporary.cpp
    charts/report_threads.cpp check/project_config.cpp diff/diff_page.cpp diff/diff_tree.cpp
    export/export_speedscope.cpp export/pprof_file.cpp gpu/gpu_segments.cpp
    growth/growth_siblings.cpp live/top_view.cpp lost/interior_pointers.cpp lost/pointer_search.cpp
    lost/process_memory.cpp lost/python_heap.cpp lost/thread_stacks.cpp page/page_lost.cpp
    report/report_host.cpp report/report_lines.cpp report/report_sites.cpp report/report_tree.cpp
    sites/gpu_table.cpp sites/own_lines.cpp sites/own_places.cpp sites/site_table.cpp
    steps/python_source.cpp symbolise/symbolise.cpp training/training_steps.cpp)
set(memtrace_rooms_of_alike_sources commands)  # each source has the same functions

# Compiles the sources of a room at once.
function(memtrace_batch_room room)
  if(room IN_LIST memtrace_rooms_of_alike_sources)
    return()
  endif()
  set_target_properties(memtrace_analyzer_${room} PROPERTIES
                        UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
  # A name of one source may hide another's.
  target_compile_options(memtrace_analyzer_${room} PRIVATE -Wno-error=shadow)
endfunction()

# Called when the libraries of all rooms of the analyzer are complete.
function(memtrace_quick_rooms)
  if(NOT MEMTRACE_QUICK_BUILD)
    return()
  endif()
  target_sources(memtrace_analyzer_base PRIVATE ${CMAKE_SOURCE_DIR}/cmake/quick/instances.cpp)
  if(NOT MEMTRACE_SANITIZE MATCHES "address")
    return()
  endif()
  set_source_files_properties(${memtrace_compiled_alone}
                              ${CMAKE_SOURCE_DIR}/cmake/quick/instances.cpp
                              PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  foreach(room ${ARGN})
    get_target_property(type memtrace_analyzer_${room} TYPE)
    if(type STREQUAL "OBJECT_LIBRARY")
      target_compile_options(memtrace_analyzer_${room} PRIVATE -O0)
      memtrace_batch_room(${room})
    endif()
  endforeach()
endfunction()
