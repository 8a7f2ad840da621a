# Programs with stated truths, the oracle, and the end-to-end tests on them. Each is a ctest test of
# its own, so failures have names. To add a program or a case, add a file.
if(TARGET memtrace)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(programs_folder ${CMAKE_CURRENT_SOURCE_DIR}/programs)
  set(programs_output ${CMAKE_BINARY_DIR}/programs)

  # -O1 and no builtins: a compiler that removes a pair of malloc and free would change every count.
  function(memtrace_test_program target)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
    target_compile_options(${target} PRIVATE -O1 -g -fno-builtin -Wall -Wno-unused-but-set-variable
                           -Wno-infinite-recursion)
    target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${programs_output}
                          LIBRARY_OUTPUT_DIRECTORY ${programs_output} ENABLE_EXPORTS ON
                          C_EXTENSIONS ON PREFIX "" INTERPROCEDURAL_OPTIMIZATION OFF)
  endfunction()

  add_library(liboracle SHARED ${CMAKE_CURRENT_SOURCE_DIR}/oracle/oracle.c)
  memtrace_test_program(liboracle)
  add_library(libpythonoracle SHARED ${CMAKE_CURRENT_SOURCE_DIR}/oracle/python_oracle.c)
  memtrace_test_program(libpythonoracle)

  file(GLOB libraries CONFIGURE_DEPENDS ${programs_folder}/lib_*.c ${programs_folder}/lib_*.cpp)
  foreach(source ${libraries})
    get_filename_component(name ${source} NAME_WE)
    add_library(${name} SHARED ${source})
    memtrace_test_program(${name})
  endforeach()

  set_target_properties(lib_beside_others PROPERTIES BUILD_RPATH "\$ORIGIN")

  set(tested_programs "")
  file(GLOB sources CONFIGURE_DEPENDS ${programs_folder}/*.c ${programs_folder}/*.cpp
       ${programs_folder}/*.py)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    file(STRINGS ${source} first_lines LIMIT_COUNT 4)
    if(name MATCHES "^lib_")
      continue()
    endif()
    if(NOT source MATCHES "[.]py$")
      add_executable(${name} ${source})
      memtrace_test_program(${name})
      if(first_lines MATCHES "libraries=([a-z0-9_-]+)")
        target_link_libraries(${name} PRIVATE ${CMAKE_MATCH_1})
      endif()
    endif()
    if(NOT first_lines MATCHES "run: manual")
      add_test(NAME program.${name}
               COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/e2e/run.py
                       --build ${CMAKE_BINARY_DIR} program ${name})
      list(APPEND tested_programs program.${name})
    endif()
  endforeach()

  set(tested_cases "")
  file(GLOB cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/e2e/cases/*.py)
  foreach(case ${cases})
    get_filename_component(name ${case} NAME_WE)
    add_test(NAME e2e.${name}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/e2e/run.py
                     --build ${CMAKE_BINARY_DIR} case ${case})
    list(APPEND tested_cases e2e.${name})
    file(STRINGS ${case} slow REGEX "^# slow")
    if(slow)
      set_property(TEST e2e.${name} PROPERTY LABELS slow)
      set_property(TEST e2e.${name} PROPERTY COST 100)  # begins early: none runs alone at the end
    endif()
  endforeach()
  set_tests_properties(${tested_programs} ${tested_cases}
                       PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endif()
