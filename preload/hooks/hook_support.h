// SPDX-License-Identifier: Apache-2.0
//
// Shared parts of all hooks. A hook has three steps: decide whether the call is the program's, call
// the real function, write the record.
#pragma once

#include "preload/base/internal_heap.h"
#include "preload/loader/real_functions.h"
#include "preload/recording/record.h"

#define MEMTRACE_EXPORT extern "C" __attribute__((visibility("default")))

// The frame of the hook itself. Its caller is the innermost frame of the program. Hooks are
// compiled with -fno-optimize-sibling-calls, so this frame still exists while the event is
// recorded.
#define MEMTRACE_FRAME __builtin_frame_address(0)

namespace memtrace::preload {

inline const Real& real_functions() {
    if (!__atomic_load_n(&real_is_ready, __ATOMIC_ACQUIRE)) [[unlikely]]
        find_real_functions();
    return real;
}

}  // namespace memtrace::preload
