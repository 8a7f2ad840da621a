# Tests with damaged dumps. They are slow for unit tests, so they are an executable of their own.
# They are left out with the thread sanitizer, because the reader has one thread.
if(MEMTRACE_SANITIZE STREQUAL "thread")
  return()
endif()
add_library(memtrace_damage STATIC ${CMAKE_CURRENT_LIST_DIR}/kinds.cpp
            ${CMAKE_CURRENT_LIST_DIR}/verdict.cpp)
target_link_libraries(memtrace_damage PUBLIC memtrace_test_tools)
file(GLOB damage_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_test.cpp)
add_executable(memtrace-damage-tests ${damage_sources})
target_link_libraries(memtrace-damage-tests PRIVATE memtrace_damage memtrace_test_main)
add_test(NAME damage COMMAND memtrace-damage-tests)

# For scripts/measure/damages; no test with a sanitizer runs it.
if(MEMTRACE_SANITIZE)
  return()
endif()
add_executable(memtrace-damages ${CMAKE_CURRENT_LIST_DIR}/damages.cpp)
target_link_libraries(memtrace-damages PRIVATE memtrace_damage)
