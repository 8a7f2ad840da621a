# SPDX-License-Identifier: Apache-2.0
# MEMTRACE_GLIBC_STUBS: programs that run with an older glibc than that of this system. It names a
# folder of packaging/old_glibc/make-stubs, whose libraries the linker then takes in place of the
# system's. Compilers and headers stay the system's.
#
#   memtrace_for_old_glibc(TARGET)
set(MEMTRACE_GLIBC_STUBS "" CACHE PATH "Folder of an older glibc's symbols, to link with")

if(MEMTRACE_GLIBC_STUBS)
  # At the end of each link, because archives of others need them, too.
  set(memtrace_old_libraries " -Wl,--as-needed -lc -lpthread -ldl")
  string(APPEND CMAKE_CXX_STANDARD_LIBRARIES "${memtrace_old_libraries} -lrt")
  add_library(memtrace_old_glibc STATIC ${CMAKE_SOURCE_DIR}/packaging/old_glibc/functions.c)
endif()

function(memtrace_for_old_glibc target)
  if(NOT MEMTRACE_GLIBC_STUBS)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_link_libraries(${target} PRIVATE memtrace_old_glibc)
  else()
    # The shim uses no timers, and no program is to get librt because of it. The linker would take
    # clock_gettime from there.
    set(CMAKE_CXX_STANDARD_LIBRARIES "${memtrace_old_libraries}" PARENT_SCOPE)
  endif()
  # The compiler's own start file would leave constructors to a glibc of 2.34 or newer.
  target_link_options(${target} PRIVATE -B${MEMTRACE_GLIBC_STUBS}/ -L${MEMTRACE_GLIBC_STUBS})
endfunction()
