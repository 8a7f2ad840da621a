# A library that walks the stacks of real interpreters, and the programs that check the walks. It
# has the rooms of the walker, not the shim.
if(NOT MEMTRACE_SANITIZE)
  memtrace_room_sources(preload rooms base loader unwind python)
  add_library(memtrace-pywalk SHARED python/walk.cpp ${rooms})
  target_include_directories(memtrace-pywalk PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(memtrace-pywalk PRIVATE memtrace_flags ${CMAKE_DL_LIBS} Threads::Threads)
  target_compile_options(memtrace-pywalk PRIVATE -O2 -fvisibility=hidden -fno-threadsafe-statics
                         -fno-exceptions -fno-rtti -ftls-model=initial-exec)
  # It is loaded into containers with other C++ libraries, or none.
  target_link_options(memtrace-pywalk PRIVATE -static-libstdc++ -static-libgcc
                      -Wl,--exclude-libs,ALL)

  add_executable(python-embed python/embed.cpp)
  target_link_libraries(python-embed PRIVATE ${CMAKE_DL_LIBS})

  # What compares a dump with the program's own notes of its stacks.
  add_executable(truth-check python/truth_check.cpp)
  target_link_libraries(truth-check PRIVATE memtrace_analyzer)
  add_library(python-bounce MODULE python/bounce.c)
  target_link_libraries(python-bounce PRIVATE Threads::Threads)
  target_compile_options(python-bounce PRIVATE -O1 -fno-builtin)
  set_target_properties(python-bounce PROPERTIES PREFIX "")
  add_executable(truth-embed python/truth_embed.c)
  target_link_libraries(truth-embed PRIVATE ${CMAKE_DL_LIBS})
  target_compile_options(truth-embed PRIVATE -O1 -fno-builtin)

  # The small runs; scripts/measure/python-walks has the large ones. 77: there is no such
  # interpreter.
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  foreach(version 3.8 3.9 3.10 3.11 3.12 3.13 3.14 3.15)
    add_test(NAME python.walks_${version}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/python/run.py
                     --library $<TARGET_FILE:memtrace-pywalk> --version ${version} --walks 2000
                     --embed $<TARGET_FILE:python-embed>)
    add_test(NAME python.truths_${version}
             COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/python/truths.py
                     --build ${CMAKE_BINARY_DIR} --version ${version})
    set_tests_properties(python.walks_${version} python.truths_${version}
                         PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
  endforeach()
endif()
