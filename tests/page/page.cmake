# SPDX-License-Identifier: Apache-2.0
# The HTML page in a headless Chromium. 77: the browser or npm is missing.
if(TARGET memtrace)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME page
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/run.py
                   --build ${CMAKE_BINARY_DIR})
  add_test(NAME page_sources
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_LIST_DIR}/sources.py
                   --build ${CMAKE_BINARY_DIR})
  set_tests_properties(page page_sources PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 1200 LABELS slow)
  # The longest test of all begins first, so that it does not run alone at the end.
  set_tests_properties(page PROPERTIES COST 1000)
endif()
