# SPDX-License-Identifier: Apache-2.0
# Programs that record their own call stack, compiled with several options, and compared with the
# unwinder. The same programs must fail with unwinders that lack one of their checks.
#
# They do not run under sanitizers, which add frames and red zones. The unit tests do.
if(NOT MEMTRACE_SANITIZE AND CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(truth_seeds 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
  set(truth_folder ${CMAKE_CURRENT_LIST_DIR})
  set(truth_sources truth.cpp truth_frames.cpp truth_signals.cpp truth_fiber.cpp truth_graph.cpp
      truth_shapes.cpp truth_leaving.cpp truth_places.cpp truth_stories_memo.cpp
      truth_stories_code.cpp truth_stories_jit.cpp truth_stories_slices.cpp
      truth_stories_signal.cpp truth_main.cpp)
  list(TRANSFORM truth_sources PREPEND ${truth_folder}/)

  foreach(size small=24 large=56)
    string(REPLACE "=" ";" size ${size})
    list(GET size 0 name)
    list(GET size 1 bytes)
    add_library(truth_plugin_${name} MODULE ${truth_folder}/truth_plugin.cpp)
    target_compile_definitions(truth_plugin_${name} PRIVATE FRAME_BYTES=${bytes})
    set_target_properties(truth_plugin_${name} PROPERTIES PREFIX "")
  endforeach()

  # The unwinder, built as the shim builds it. Sources that make the checks are built once for each
  # check.
  memtrace_room_sources(preload walker_sources base loader unwind)
  set(walker_common "")
  set(walker_mutable ${truth_folder}/truth_without.cpp ${truth_folder}/truth_recognise.cpp)
  foreach(path ${walker_sources})
    file(STRINGS ${path} asks REGEX "memo_checks[.]h")
    if(asks)
      list(APPEND walker_mutable ${path})
    else()
      list(APPEND walker_common ${path})
    endif()
  endforeach()
  function(truth_walker target)
    add_library(${target} OBJECT ${ARGN})
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE memtrace_flags)
    target_compile_options(${target} PRIVATE -O2 -fvisibility=hidden -fno-exceptions -fno-rtti
                           -fno-threadsafe-statics)
  endfunction()
  truth_walker(truth_walker_common ${walker_common})

  # The programs. The options determine sibling calls, frame pointers and alignment.
  function(truth_program_objects target)
    add_library(${target} OBJECT ${truth_sources})
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE memtrace_flags)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE
        TRUTH_PLUGIN_SMALL="$<TARGET_FILE:truth_plugin_small>"
        TRUTH_PLUGIN_LARGE="$<TARGET_FILE:truth_plugin_large>")
    target_compile_options(${target} PRIVATE -fexceptions -Wno-clobbered -Wno-vla ${ARGN})
  endfunction()
  function(truth_finish target)
    target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
    add_dependencies(${target} truth_plugin_small truth_plugin_large)
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/unwind
                          LINKER_LANGUAGE CXX)
  endfunction()
  function(truth_link target program walker)
    add_executable(${target} $<TARGET_OBJECTS:${program}> $<TARGET_OBJECTS:${walker}>
                   $<TARGET_OBJECTS:truth_walker_common>)
    truth_finish(${target})
  endfunction()
  function(truth_test name)
    add_test(NAME unwind.${name} COMMAND ${ARGN})
    set_tests_properties(unwind.${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
  endfunction()

  truth_walker(truth_walker_none ${walker_mutable})
  set(truth_variants "O0=-O0" "O1=-O1" "O2=-O2" "O3=-O3" "O2_fp=-O2 -fno-omit-frame-pointer"
      "O3_avx2=-O3 -mavx2")
  foreach(variant ${truth_variants})
    string(REGEX MATCH "^([^=]+)=(.*)$" unused ${variant})
    set(name ${CMAKE_MATCH_1})
    separate_arguments(options UNIX_COMMAND "${CMAKE_MATCH_2}")
    truth_program_objects(truth_objects_${name} ${options})
    truth_link(truth_${name} truth_objects_${name} truth_walker_none)
    truth_test(truth_${name} Python3::Interpreter ${truth_folder}/truth_run.py
               $<TARGET_FILE:truth_${name}> ${truth_seeds})
  endforeach()

  # The same sources, built by the other compiler.
  find_program(MEMTRACE_CLANG clang++)
  if(MEMTRACE_CLANG)
    set(clang_objects "")
    foreach(source ${truth_sources})
      get_filename_component(name ${source} NAME_WE)
      set(object ${CMAKE_CURRENT_BINARY_DIR}/clang_${name}.o)
      add_custom_command(
        OUTPUT ${object}
        COMMAND ${MEMTRACE_CLANG} -std=c++20 -O2 -g -fPIE -pthread -D_GNU_SOURCE
                -I${CMAKE_SOURCE_DIR} -I${CMAKE_SOURCE_DIR}/include
                -DTRUTH_PLUGIN_SMALL="$<TARGET_FILE:truth_plugin_small>"
                -DTRUTH_PLUGIN_LARGE="$<TARGET_FILE:truth_plugin_large>"
                -MMD -MF ${object}.d -c ${source} -o ${object}
        DEPENDS ${source} DEPFILE ${object}.d VERBATIM)
      list(APPEND clang_objects ${object})
    endforeach()
    add_executable(truth_clang ${clang_objects} $<TARGET_OBJECTS:truth_walker_none>
                   $<TARGET_OBJECTS:truth_walker_common>)
    truth_finish(truth_clang)
    truth_test(truth_clang Python3::Interpreter ${truth_folder}/truth_run.py
               $<TARGET_FILE:truth_clang> ${truth_seeds})
  else()
    add_test(NAME unwind.truth_clang
             COMMAND ${CMAKE_COMMAND} -E echo "skipped: there is no clang++ here")
    set_tests_properties(unwind.truth_clang PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped:")
  endif()

  # One mutant for each check.
  file(STRINGS ${CMAKE_SOURCE_DIR}/preload/unwind/memo_checks.h checks REGEX "^    [a-z_]+, +//")
  foreach(check ${checks})
    string(REGEX MATCH "[a-z_]+" check ${check})
    truth_walker(truth_walker_without_${check} ${walker_mutable})
    target_compile_definitions(truth_walker_without_${check} PRIVATE MEMTRACE_WITHOUT=${check})
    truth_link(truth_without_${check} truth_objects_O2 truth_walker_without_${check})
    truth_test(mutant_${check} Python3::Interpreter ${truth_folder}/truth_mutant.py
               $<TARGET_FILE:truth_without_${check}> ${check} 1 2)
  endforeach()
endif()
