// SPDX-License-Identifier: Apache-2.0
//
// How far down this thread's own stack is in use. Below that lie frames of functions that have
// returned, with pointers that nobody has any more.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// Returns where the lowest frame of the program begins, of all that are on the stack from `stack`
// on: if a handler runs on an alternate stack, that of the function which it interrupted may be the
// lowest one. Returns 0 if nobody knows: the frames do not lead to the beginning of the thread,
// because they are a coroutine's and lie on a stack of its own, in a frame of this one perhaps; or
// because there are too many of them, or no unwind data.
uint64_t lowest_frame(uint64_t stack);

}  // namespace memtrace::preload
