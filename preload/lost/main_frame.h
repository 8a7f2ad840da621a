// SPDX-License-Identifier: Apache-2.0
//
// Whether main() has returned. Then nothing on the main thread's stack is the program's any more,
// although the frames of exit() have holes in which its old pointers still lie.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// Returns where the words of the process's start lie on the stack (its arguments and environment);
// 0 if the loader does not tell it.
uint64_t start_of_process_stack();

// True if no function of the program is on the stack from `stack` on, which is that of this thread:
// no word there returns to an object other than libc and the loader. False also if it is not
// certain.
bool has_main_returned(uint64_t stack);

// True if _start returns here: it calls libc's start of the program, and is on every stack.
bool is_in_start(uint64_t address);

}  // namespace memtrace::preload
