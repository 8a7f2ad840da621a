# Tests with damaged dumps. They are slow for unit tests, so they are an executable of their own.
# They are left out with the thread sanitizer, because the reader has one thread.
if(MEMTRACE_SANITIZE STREQUAL "thread")
  return()
endif()
file(GLOB damage_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_test.cpp)
add_executable(memtrace-damage-tests ${damage_sources})
target_link_libraries(memtrace-damage-tests PRIVATE memtrace_test_tools memtrace_test_main)
add_test(NAME damage COMMAND memtrace-damage-tests)
