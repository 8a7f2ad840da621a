// SPDX-License-Identifier: Apache-2.0
//
// What libc itself keeps of a thread, at the top of its stack (glibc's struct pthread, to which the
// thread pointer leads): where the stack begins and ends, and whether anybody runs on it. Unlike
// what was recorded, that is there of threads that never allocate, too. Where it does not look as
// expected, nothing is said.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/lost/process_memory.h"

namespace memtrace::analyzer {

// Returns the stack of the thread with this thread pointer, with its guard.
std::optional<LostRange> stack_of_thread(Memory& memory, uint64_t thread_pointer);

// Returns the thread pointer of the thread whose stack is this mapping and nothing else.
std::optional<uint64_t> thread_of_stack(Memory& memory, LostRange mapping);

// True if the thread with this thread pointer has ended: its number, which libc writes before the
// thread begins, was cleared by the kernel then. `known`: a thread that lives, to see that the
// number is where it is looked for.
bool has_thread_ended(Memory& memory, uint64_t thread_pointer, const LostRequest& known);

}  // namespace memtrace::analyzer
