# The pytest plugin, in a virtual environment that run.py makes. 77: PyPI cannot be reached.
if(TARGET memtrace)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME pytest_plugin
           COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/pytest/run.py
                   --build ${CMAKE_BINARY_DIR})
  # docs/use/ci.md installs the plugin into the same environment.
  set_tests_properties(pytest_plugin e2e.docs_ci PROPERTIES RESOURCE_LOCK pytest_environment)
  set_tests_properties(pytest_plugin PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
  # The oldest and the newest version that the plugin declares.
  foreach(version 3.8 3.13)
    add_test(NAME pytest_plugin_${version}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/pytest/run.py
                     --build ${CMAKE_BINARY_DIR} --version ${version})
    set_tests_properties(pytest_plugin_${version} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
  endforeach()
endif()
