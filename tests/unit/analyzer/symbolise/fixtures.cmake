# Small libraries with known debug information, for symbolise_test.cpp.
#
#   libfixture.so           symbols and lines
#   stripped/libfixture.so  nothing but .dynsym, and a link to its debug file
#   debug/libfixture.so.debug
#   relative/libfixture.so  compiled from fixtures/fixture.cpp, a path relative to the folder
# Compilers describe the same code differently, and the test knows how g++ does.
set(fixtures ${CMAKE_BINARY_DIR}/fixtures)
set(fixture_source ${CMAKE_CURRENT_LIST_DIR}/fixtures/fixture.cpp)
find_program(MEMTRACE_GXX NAMES g++ c++ REQUIRED)
find_program(MEMTRACE_OBJCOPY objcopy REQUIRED)
add_custom_command(OUTPUT ${fixtures}/libfixture.so
    COMMAND ${CMAKE_COMMAND} -E make_directory ${fixtures}/stripped ${fixtures}/debug
            ${fixtures}/relative
    COMMAND ${MEMTRACE_GXX} -std=c++20 -g -O2 -fno-omit-frame-pointer -fPIC -shared
            -Wl,--build-id ${fixture_source} -o ${fixtures}/libfixture.so
    COMMAND ${CMAKE_COMMAND} -E chdir ${fixtures} ${MEMTRACE_OBJCOPY} --only-keep-debug
            libfixture.so debug/libfixture.so.debug
    COMMAND ${CMAKE_COMMAND} -E chdir ${fixtures} ${MEMTRACE_OBJCOPY} --strip-all
            --add-gnu-debuglink=debug/libfixture.so.debug libfixture.so stripped/libfixture.so
    COMMAND ${CMAKE_COMMAND} -E chdir ${CMAKE_CURRENT_LIST_DIR} ${MEMTRACE_GXX} -std=c++20 -g -O2
            -fno-omit-frame-pointer -fPIC -shared -Wl,--build-id ./fixtures/fixture.cpp
            -o ${fixtures}/relative/libfixture.so
    DEPENDS ${fixture_source} VERBATIM)
add_custom_target(fixture DEPENDS ${fixtures}/libfixture.so)
add_dependencies(memtrace-unit-tests fixture)
target_compile_definitions(memtrace-unit-tests PRIVATE
    MEMTRACE_FIXTURES="${fixtures}"
    MEMTRACE_FIXTURE_SOURCE="${fixture_source}")
target_link_libraries(memtrace-unit-tests PRIVATE ${CMAKE_DL_LIBS})
