# Small libraries with known debug information, for symbolise_test.cpp.
#
#   libfixture.so           symbols and lines
#   stripped/libfixture.so  nothing but .dynsym, and a link to its debug file
#   debug/libfixture.so.debug
set(fixtures ${CMAKE_BINARY_DIR}/fixtures)
add_library(fixture SHARED ${CMAKE_CURRENT_LIST_DIR}/fixtures/fixture.cpp)
target_compile_options(fixture PRIVATE -g -O2 -fno-omit-frame-pointer)
target_link_options(fixture PRIVATE -Wl,--build-id)
set_target_properties(fixture PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${fixtures})
find_program(MEMTRACE_OBJCOPY objcopy REQUIRED)
add_custom_command(TARGET fixture POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E make_directory ${fixtures}/stripped ${fixtures}/debug
    COMMAND ${MEMTRACE_OBJCOPY} --only-keep-debug libfixture.so debug/libfixture.so.debug
    COMMAND ${MEMTRACE_OBJCOPY} --strip-all --add-gnu-debuglink=debug/libfixture.so.debug
            libfixture.so stripped/libfixture.so
    WORKING_DIRECTORY ${fixtures} VERBATIM)
add_dependencies(memtrace-unit-tests fixture)
target_compile_definitions(memtrace-unit-tests PRIVATE
    MEMTRACE_FIXTURES="${fixtures}"
    MEMTRACE_FIXTURE_SOURCE="${CMAKE_CURRENT_LIST_DIR}/fixtures/fixture.cpp")
target_link_libraries(memtrace-unit-tests PRIVATE ${CMAKE_DL_LIBS})
