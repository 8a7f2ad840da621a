// SPDX-License-Identifier: Apache-2.0
//
// While the driver calls us back (CUPTI), nothing may be asked of it. What the callback tells is
// then all that is known.
//
// Static thread-local memory is scarce, so a thread has only the number of a place in a table, and
// only during a call of the driver.
#pragma once

#include <cstdint>

#include "preload/base/thread_state.h"
#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

// Takes a place for this thread, which has none. Numbers begin at 1; 0: all are taken.
inline constexpr unsigned callback_places = 255;
unsigned take_callback_place();
void give_callback_place();
inline unsigned callback_place() { return thread_state.callback_place; }

struct CallbackContext {
    uint64_t context = 0;  // the current one
    Device device = -1;    // its device; -1: nothing was seen of its beginning
};

// nullptr: the driver may be asked.
const CallbackContext* callback_context();

// While it lives, this thread, which has a place, knows only this.
class CallbackScope {
public:
    explicit CallbackScope(const CallbackContext& all);
    ~CallbackScope();
    CallbackScope(const CallbackScope&) = delete;
    CallbackScope& operator=(const CallbackScope&) = delete;
};

}  // namespace memtrace::preload::cuda
