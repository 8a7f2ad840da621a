// SPDX-License-Identifier: Apache-2.0
//
// What all hooks share. A hook is three beats: whose call is it, the real function, the record.
#pragma once

#include "preload/base/internal_heap.h"
#include "preload/loader/real_functions.h"
#include "preload/recording/record.h"

#define MEMTRACE_EXPORT extern "C" __attribute__((visibility("default")))

// The frame of the hook itself, whose caller is the innermost frame of the program. Hooks are
// compiled with -fno-optimize-sibling-calls, so that it is still there while the event is recorded.
#define MEMTRACE_FRAME __builtin_frame_address(0)

namespace memtrace::preload {

inline const Real& real_functions() {
    if (!__atomic_load_n(&real_is_ready, __ATOMIC_ACQUIRE)) [[unlikely]]
        find_real_functions();
    return real;
}

}  // namespace memtrace::preload
