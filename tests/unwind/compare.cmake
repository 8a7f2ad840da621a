# A library that walks each stack four ways. It has the walker's sources, not the shim.
if(NOT MEMTRACE_SANITIZE)
  set(walker stack_walk stack_reader rule_table cfi step_rule unwind_tables wide_step)
  list(TRANSFORM walker PREPEND ${CMAKE_SOURCE_DIR}/preload/)
  list(TRANSFORM walker APPEND .cpp)
  add_library(memtrace-compare SHARED unwind/compare.cpp ${walker})
  target_include_directories(memtrace-compare PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(memtrace-compare PRIVATE memtrace_flags ${CMAKE_DL_LIBS})
  target_compile_options(memtrace-compare PRIVATE -fvisibility=hidden -fno-threadsafe-statics
                         -ftls-model=initial-exec -fno-optimize-sibling-calls)
endif()
