// SPDX-License-Identifier: Apache-2.0
//
// The callback context: what a CUPTI callback reports about its call. While the driver runs a
// callback, it must not be queried, so this context is all that is known.
//
// Static thread-local memory is scarce. So a thread holds only the number of a place in a table,
// and only during a call of the driver.
#pragma once

#include <cstdint>

#include "preload/base/thread_state.h"
#include "preload/cuda/cuda_types.h"

namespace memtrace::preload::cuda {

// Takes a place for this thread, which must not have one. Numbers begin at 1. Returns 0 if all
// places are taken.
inline constexpr unsigned callback_places = 255;
unsigned take_callback_place();
void give_callback_place();
inline unsigned callback_place() { return thread_state.callback_place; }

struct CallbackContext {
    uint64_t context = 0;  // the current context
    Device device = -1;    // its device; -1 if its creation was not seen
};

// Returns nullptr outside callbacks; the driver can then be queried.
const CallbackContext* callback_context();

// During its lifetime, this context is all that the thread's queries use. The thread must have a
// place.
class CallbackScope {
public:
    explicit CallbackScope(const CallbackContext& all);
    ~CallbackScope();
    CallbackScope(const CallbackScope&) = delete;
    CallbackScope& operator=(const CallbackScope&) = delete;
};

}  // namespace memtrace::preload::cuda
