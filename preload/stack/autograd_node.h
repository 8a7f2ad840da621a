// SPDX-License-Identifier: Apache-2.0
//
// The node that autograd runs on this thread, at each acquisition. A program without PyTorch pays
// one load and one branch.
//
// A frame of the engine in its stack shows that a thread runs backward. From then on the address
// of the thread's variable is known, and a look at it is three loads. A record is written if the
// node has changed since the thread's last acquisition.
#pragma once

#include <cstdint>

#include "preload/stack/autograd.h"
#include "preload/unwind/stack_walker.h"

namespace memtrace::preload {

class Lane;

// What is known about one thread.
struct AutogradWatch {
    uint64_t variable = 0;  // address of the current node; 0 until the engine uses it
    uint64_t engine = 0;    // owner of the variable: Autograd::engine_begin
    uint64_t node = 0;      // as last written
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
