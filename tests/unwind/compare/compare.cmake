# A library that finds each stack six ways. It has the rooms of the walker, not the shim.
if(NOT MEMTRACE_SANITIZE)
  memtrace_room_sources(preload walker base loader unwind)
  add_library(memtrace-compare SHARED unwind/compare/compare.cpp unwind/truth/truth_recognise.cpp
              ${walker})
  target_include_directories(memtrace-compare PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(memtrace-compare PRIVATE memtrace_flags ${CMAKE_DL_LIBS})
  target_compile_options(memtrace-compare PRIVATE -fvisibility=hidden -fno-threadsafe-statics
                         -ftls-model=initial-exec -fno-optimize-sibling-calls)

  add_executable(compare-work unwind/compare/compare_work.cpp)
  target_compile_options(compare-work PRIVATE -O2 -g)
  target_link_libraries(compare-work PRIVATE Threads::Threads ${CMAKE_DL_LIBS})

  # The small runs. scripts/measure/unwind-compare has the large runs.
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  set(compare_run Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/unwind/compare/compare_run.py
      --library $<TARGET_FILE:memtrace-compare>)
  add_test(NAME unwind.compare_work
           COMMAND ${compare_run} --at-least 30000 -- $<TARGET_FILE:compare-work> 1000
                   $<TARGET_FILE:truth_plugin_small> $<TARGET_FILE:truth_plugin_large>)
  add_test(NAME unwind.compare_python
           COMMAND ${compare_run} --at-least 5000 -- ${Python3_EXECUTABLE}
                   ${CMAKE_SOURCE_DIR}/bench/workloads/json_regex.py 20)
  add_test(NAME unwind.compare_deep_recursion
           COMMAND ${compare_run} --at-least 500 -- $<TARGET_FILE:deep_recursion>)
  set_tests_properties(unwind.compare_work unwind.compare_python unwind.compare_deep_recursion
                       PROPERTIES TIMEOUT 120)
endif()
