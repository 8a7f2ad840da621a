# Tests that run under memtrace and fail if they break a memory limit.
#
#   find_package(memtrace)            or include() of this file
#   memtrace_add_test(NAME parser COMMAND parser_test --quick
#                     CHECK --max-leaked-bytes 0)
#
#   NAME, COMMAND, WORKING_DIRECTORY   as in add_test
#   CHECK      options of `memtrace-report check`; without options, memtrace.toml of the folder in
#              which the test runs sets the limits
#   OPTIONS    settings of the recording, as in MEMTRACE_OPTIONS
#
# The dump stays in ${CMAKE_CURRENT_BINARY_DIR}/memtrace until the test's next run. If there is no
# memtrace, or MEMTRACE_PROGRAM is OFF, the test runs without it, and a message of CMake says so.
find_program(MEMTRACE_PROGRAM memtrace HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin)

function(memtrace_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "" "NAME;WORKING_DIRECTORY;OPTIONS" "COMMAND;CHECK")
  if(NOT test_NAME OR NOT test_COMMAND)
    message(FATAL_ERROR "memtrace_add_test: NAME and COMMAND are needed")
  endif()
  if(test_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "memtrace_add_test(${test_NAME}): not understood: "
                        "${test_UNPARSED_ARGUMENTS}")
  endif()
  set(directory "")
  if(test_WORKING_DIRECTORY)
    set(directory WORKING_DIRECTORY ${test_WORKING_DIRECTORY})
  endif()
  # add_test replaces a target by its file only in the first place.
  list(POP_FRONT test_COMMAND program)
  if(TARGET ${program})
    set(program $<TARGET_FILE:${program}>)
  endif()
  if(NOT MEMTRACE_PROGRAM)
    message(STATUS "No memtrace here: test ${test_NAME} runs without it")
    add_test(NAME ${test_NAME} COMMAND ${program} ${test_COMMAND} ${directory})
    return()
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/memtrace)
  file(MAKE_DIRECTORY ${folder})
  string(MAKE_C_IDENTIFIER "${test_NAME}" file)
  set(options quiet=1)
  if(test_OPTIONS)
    string(APPEND options ",${test_OPTIONS}")
  endif()
  add_test(NAME ${test_NAME}
           COMMAND ${MEMTRACE_PROGRAM} run -o ${folder}/${file}.bin --options ${options}
                   --check ${test_CHECK} -- ${program} ${test_COMMAND} ${directory})
endfunction()
