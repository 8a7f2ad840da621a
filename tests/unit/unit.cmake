include(${CMAKE_CURRENT_LIST_DIR}/analyzer/symbolise/fixtures.cmake)
add_test(NAME unit COMMAND memtrace-unit-tests)
