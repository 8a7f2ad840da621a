# SPDX-License-Identifier: Apache-2.0
# The cost of one stack capture. scripts/measure/bench-unwind builds and runs this program. Nothing
# else needs it, so it is not part of `all`. Without Google Benchmark the target does not exist.
find_package(benchmark QUIET)
if(benchmark_FOUND AND NOT MEMTRACE_SANITIZE AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_executable(memtrace-unwind-bench EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/unwind_bench.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/unwind_captures.cpp
                 ${CMAKE_CURRENT_LIST_DIR}/unwind_stacks.cpp)
  target_link_libraries(memtrace-unwind-bench PRIVATE memtrace_core benchmark::benchmark)
  target_include_directories(memtrace-unwind-bench PRIVATE ${CMAKE_SOURCE_DIR})
  # Each function must keep its frame, and a jump from stack to stack is no error here.
  target_compile_options(memtrace-unwind-bench PRIVATE -O2 -fno-optimize-sibling-calls
                         -U_FORTIFY_SOURCE)
endif()
