# Provides for find_package(memtrace): memtrace_add_test(), and memtrace.h as memtrace::memtrace.
include(${CMAKE_CURRENT_LIST_DIR}/MemtraceTest.cmake)
if(NOT TARGET memtrace::memtrace)
  add_library(memtrace::memtrace INTERFACE IMPORTED)
  get_filename_component(memtrace_prefix ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
  target_include_directories(memtrace::memtrace INTERFACE ${memtrace_prefix}/include)
endif()
