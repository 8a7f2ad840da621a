# What reads the bytes of strangers. memtrace-fuzz-replay is a test of every build;
# -DMEMTRACE_FUZZ=ON, with clang, makes a fuzzer of each target (scripts/measure/fuzz).
option(MEMTRACE_FUZZ "Build fuzzers with libFuzzer, which needs clang" OFF)
if(MEMTRACE_SANITIZE STREQUAL "thread")
  return()
endif()
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/targets.def rows REGEX "^MEMTRACE_FUZZ_TARGET")
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*_target.cpp)
add_library(memtrace_fuzz_targets STATIC ${sources} ${CMAKE_CURRENT_LIST_DIR}/report_run.cpp)
target_link_libraries(memtrace_fuzz_targets PUBLIC memtrace_damage memtrace_core)

add_executable(memtrace-fuzz-replay ${CMAKE_CURRENT_LIST_DIR}/replay.cpp)
target_link_libraries(memtrace-fuzz-replay PRIVATE memtrace_fuzz_targets)
if(NOT MEMTRACE_SANITIZE)  # as memtrace-report, whose demangler can be stopped only so
  target_link_options(memtrace-fuzz-replay PRIVATE -static-libstdc++ -static-libgcc)
endif()
add_test(NAME fuzz-replay
         COMMAND memtrace-fuzz-replay ${CMAKE_CURRENT_LIST_DIR}/corpus 40)

if(NOT MEMTRACE_FUZZ)
  return()
endif()
foreach(row ${rows})
  string(REGEX REPLACE "^MEMTRACE_FUZZ_TARGET\\(([a-z]+),.*" "\\1" name ${row})
  add_executable(fuzz-${name} ${CMAKE_CURRENT_LIST_DIR}/fuzzer.cpp)
  target_compile_definitions(fuzz-${name} PRIVATE MEMTRACE_TARGET=${name})
  target_link_libraries(fuzz-${name} PRIVATE memtrace_fuzz_targets)
  target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
  list(APPEND fuzzers fuzz-${name})
endforeach()
add_custom_target(fuzzers DEPENDS ${fuzzers})
