include(${CMAKE_CURRENT_LIST_DIR}/analyzer/fixtures.cmake)
add_test(NAME unit COMMAND memtrace-unit-tests)
