# A small run of scripts/measure/stack-growth: do memory and dump grow linearly with the number of
# distinct stacks, and are all of them counted?
if(TARGET memtrace)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_executable(stacks ${CMAKE_SOURCE_DIR}/bench/workloads/stacks.cpp)
  # As bench/harness/workloads.py builds it: each function must keep its frame.
  target_compile_options(stacks PRIVATE -O2 -g)
  add_test(NAME unwind.growth
           COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/scripts/measure/stack-growth --small
                   --repetitions 1 --build ${CMAKE_BINARY_DIR} --program $<TARGET_FILE:stacks>)
  set_tests_properties(unwind.growth PROPERTIES TIMEOUT 300)
endif()
