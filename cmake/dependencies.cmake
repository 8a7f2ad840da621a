# Libraries that are linked into our two binaries. Each becomes one target.
#
# They are static archives, so the binaries need only glibc on the machine where they run.

function(memtrace_static_library target header)
  find_path(${target}_include ${header} REQUIRED)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_include})
  foreach(archive ${ARGN})
    find_library(${target}_${archive} lib${archive}.a REQUIRED)
    target_link_libraries(${target} INTERFACE ${${target}_${archive}})
  endforeach()
endfunction()

memtrace_static_library(memtrace_zstd zstd.h zstd)
memtrace_static_library(memtrace_zlib zlib.h z)
memtrace_static_library(memtrace_xxhash xxhash.h)
memtrace_static_library(memtrace_toml toml++/toml.h)  # headers only
memtrace_static_library(memtrace_elfutils elfutils/libdwfl.h dw elf z lzma bz2)
memtrace_static_library(memtrace_protobuf google/protobuf/message_lite.h protobuf-lite)
memtrace_static_library(memtrace_ncurses ncurses.h ncursesw tinfo)
memtrace_static_library(memtrace_libevent event2/http.h event_extra event_core)
find_program(memtrace_protoc protoc REQUIRED)
find_package(Threads REQUIRED)
