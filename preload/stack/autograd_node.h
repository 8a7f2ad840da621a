// SPDX-License-Identifier: Apache-2.0
//
// Which node autograd runs on this thread, at each acquisition: what a program without PyTorch pays
// is one load and one branch.
//
// A thread shows that it runs backward by a frame of the engine in its stack. From then on the
// address of its variable is known, and a look at it is three loads. A record is written where the
// node has changed since the thread's last acquisition.
#pragma once

#include <cstdint>

#include "preload/stack/autograd.h"
#include "preload/unwind/stack_walker.h"

namespace memtrace::preload {

class Lane;

// What a lane knows of its thread.
struct AutogradWatch {
    uint64_t variable = 0;  // where the thread's current node is; 0: not known to be in use
    uint64_t engine = 0;    // that the variable belongs to: Autograd::engine_begin
    uint64_t node = 0;      // as the lane said last
    uint64_t type = 0;
};

// Writes which node runs now, unless the lane contains that already. `walked` is the stack as it
// was just walked; nullptr if it could not be walked, or if all of its frames were looked at
// before.
void watch_autograd(Lane& lane, AutogradWatch& watch, const StackMemo* walked);

[[gnu::always_inline]] inline void note_autograd_node(Lane& lane, AutogradWatch& watch,
                                                      const StackMemo* walked = nullptr) {
    if (autograd_state() != AutogradState::none) watch_autograd(lane, watch, walked);
}

}  // namespace memtrace::preload
