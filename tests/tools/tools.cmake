# The library with which tests make dumps.
add_library(memtrace_test_tools STATIC ${CMAKE_CURRENT_LIST_DIR}/dump_builder.cpp
            ${CMAKE_CURRENT_LIST_DIR}/dump_text.cpp)
target_link_libraries(memtrace_test_tools PUBLIC memtrace_analyzer)
target_include_directories(memtrace_test_tools PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(memtrace-unit-tests PRIVATE memtrace_test_tools)

# For people and scripts; no test with a sanitizer runs it.
if(MEMTRACE_SANITIZE)
  return()
endif()
add_executable(dump-from-text ${CMAKE_CURRENT_LIST_DIR}/dump_from_text.cpp)
target_link_libraries(dump-from-text PRIVATE memtrace_test_tools)
