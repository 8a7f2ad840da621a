# Joins small test files into batches, so that what templates of libraries cost is paid once for
# each batch and not for each file.
#
# Two thirds of the time that a test of the analyzer takes to compile are templates that most
# others need, too. A batch is a made source file. It includes the headers of its tests first, and
# then each test within a namespace of its own, so that names which two tests give to their helpers
# never meet. A test that opens a namespace of ours, or that specialises a template of a library,
# cannot lie within another namespace: it stays a source of its own. So does a test that says
# "optimised:" in its comment, which is compiled with -O1.
#
#   join_tests(SOURCES out BATCHES joined TESTS file…)   sets `out` to what to compile instead of
#                                                        the files, and `joined` to its batches
set(tests_of_a_batch 12)

function(write_batch name tests)
  set(headers "")
  set(bodies "")
  foreach(test IN LISTS tests)
    file(STRINGS ${test} lines REGEX "^#include [\"<][^\">]*[\">]$")
    list(FILTER lines EXCLUDE REGEX "\\.def\"")
    list(APPEND headers ${lines})
    get_filename_component(namespace ${test} NAME_WE)
    string(APPEND bodies "namespace of_${namespace} {\n#include \"${test}\"\n}\n")
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(JOIN headers "\n" headers)
  file(CONFIGURE OUTPUT ${name} CONTENT "${headers}\n\n${bodies}" @ONLY)
endfunction()

function(join_tests)
  cmake_parse_arguments(PARSE_ARGV 0 join "" "SOURCES;BATCHES" "TESTS")
  set(made "")
  set(joined "")
  set(batches "")
  foreach(test IN LISTS join_TESTS)
    # A new #include is to be among those of the batch.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${test})
    file(STRINGS ${test} opens REGEX "^(namespace [a-z]|template ?<>|struct Catch|extern \"C\")")
    file(STRINGS ${test} optimised REGEX "^// optimised: ")
    if(optimised)
      # The headers that are compiled before are those without optimisation.
      set_source_files_properties(${test} PROPERTIES COMPILE_OPTIONS -O1
                                                     SKIP_PRECOMPILE_HEADERS ON)
      list(APPEND made ${test})
      continue()
    endif()
    file(RELATIVE_PATH room ${CMAKE_CURRENT_SOURCE_DIR}/unit ${test})
    if(opens OR NOT room MATCHES "^(analyzer|launcher)/")
      list(APPEND made ${test})
      continue()
    endif()
    get_filename_component(room ${room} DIRECTORY)
    string(REPLACE "/" "_" room ${room})
    list(APPEND tests_in_${room} ${test})
    list(LENGTH tests_in_${room} number)
    math(EXPR number "(${number} - 1) / ${tests_of_a_batch}")
    list(APPEND batches ${room}_${number})
    list(APPEND batch_${room}_${number} ${test})
  endforeach()
  list(REMOVE_DUPLICATES batches)
  foreach(batch IN LISTS batches)
    set(name ${CMAKE_CURRENT_BINARY_DIR}/batches/${batch}.cpp)
    write_batch(${name} "${batch_${batch}}")
    list(APPEND made ${name})
    list(APPEND joined ${name})
  endforeach()
  set(${join_SOURCES} ${made} PARENT_SCOPE)
  set(${join_BATCHES} ${joined} PARENT_SCOPE)
endfunction()
