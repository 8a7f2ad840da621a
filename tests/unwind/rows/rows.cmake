# Compares every row of the unwind tables of common libraries with readelf's rows.
# scripts/measure/unwind-rows does the same for large libraries.
if(NOT Python3_EXECUTABLE)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

# The reader of tables, as the shim has it.
memtrace_room_objects(preload rows_rooms base loader unwind)
add_executable(unwind-rows ${CMAKE_CURRENT_LIST_DIR}/rows.cpp ${rows_rooms})
target_link_libraries(unwind-rows PRIVATE memtrace_flags ${CMAKE_DL_LIBS} Threads::Threads)
target_include_directories(unwind-rows PRIVATE ${CMAKE_SOURCE_DIR})

# `where` is a file, or another text if there is no such file.
function(memtrace_compare_rows name where)
  if(IS_ABSOLUTE "${where}" AND EXISTS "${where}")
    add_test(NAME unwind.rows_of_${name}
             COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tests/unwind/rows/compare_rows.py
                     $<TARGET_FILE:unwind-rows> ${where})
  else()
    add_test(NAME unwind.rows_of_${name}
             COMMAND ${CMAKE_COMMAND} -E echo "skipped: no ${name} was found at configuration")
    set_tests_properties(unwind.rows_of_${name} PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: ")
  endif()
  set_tests_properties(unwind.rows_of_${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300)
endfunction()

# Sets the path of the compiler's library of that name, or the bare name if there is none.
function(memtrace_find_runtime file out)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${file}
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${out} "${found}" PARENT_SCOPE)
endfunction()

memtrace_find_runtime(libc.so.6 found_libc)
memtrace_compare_rows(libc "${found_libc}")
memtrace_find_runtime(libstdc++.so.6 found_libstdcxx)
memtrace_compare_rows(libstdcxx "${found_libstdcxx}")
memtrace_find_runtime(ld-linux-x86-64.so.2 found_ld_so)
memtrace_compare_rows(ld_so "${found_ld_so}")

# Python's code is in its own library or in the program, depending on its build.
execute_process(COMMAND ${Python3_EXECUTABLE} -c [[
import os, sys, sysconfig
library = os.path.join(sysconfig.get_config_var("LIBDIR") or "",
                       sysconfig.get_config_var("INSTSONAME") or "")
print(library if ".so" in library and os.path.exists(library) else os.path.realpath(sys.executable))
]] OUTPUT_VARIABLE found_python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
memtrace_compare_rows(python "${found_python}")
