# SPDX-License-Identifier: Apache-2.0
# Makes huge dumps for scripts/measure/replay, which builds it. Not part of `all`.
add_executable(memtrace-big-dump EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/big_dump.cpp)
target_link_libraries(memtrace-big-dump PRIVATE memtrace_flags memtrace_zstd memtrace_xxhash)
target_include_directories(memtrace-big-dump PRIVATE ${CMAKE_SOURCE_DIR}/include)
