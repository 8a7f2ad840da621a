// SPDX-License-Identifier: Apache-2.0
//
// Which forked children are recorded where dumps must stay small (max_dump). A server that forks a
// child for each request, or a new generation of workers each hour, would leave a dump for each of
// them, for ever. So the first children are recorded, and then ever fewer, as long as it runs:
//
//   number of the child    1 to 64    to 128          to 256          to 512
//   recorded               all        every second    every fourth    every eighth ...
//
// A million children leave some 500 dumps, of the beginning and of every time since. With
// children=all every child is recorded.
#pragma once

#include <cstdint>

namespace memtrace::preload {

inline constexpr uint64_t children_all_recorded = 64;

// True if the child with this number, counted from 1, is recorded where dumps must stay small.
constexpr bool is_child_recorded(uint64_t number) {
    uint64_t every = 1;
    for (uint64_t end = children_all_recorded; number > end && end != 0; end *= 2) every *= 2;
    return number % every == 0;
}

// Call before each fork, in the process that forks. Returns true once: when the first child will
// not be recorded.
bool count_fork();

// True if this forked child shall not be recorded, because of its number, or because it is a child
// of one that is not. Call once, in the child.
bool is_left_out_child();

// Writes to the dump that not all children are recorded.
void note_children_left_out();

}  // namespace memtrace::preload
