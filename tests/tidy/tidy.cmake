# Tests of scripts/tidy.py itself: small trees with one mistake each.
if(NOT MEMTRACE_SANITIZE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME tidy_rules
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/tidy/rules_test.py)
endif()
