// SPDX-License-Identifier: Apache-2.0
//
// What all hooks share. A hook is three beats: whose call is it, the real function, the record.
#pragma once

#include "preload/own_heap.h"
#include "preload/real.h"
#include "preload/record.h"

#define MEMTRACE_EXPORT extern "C" __attribute__((visibility("default")))

// The return address of the hook: the innermost frame of the program.
#define MEMTRACE_CALLER __builtin_return_address(0)

namespace memtrace::preload {

inline const Real& real_functions() {
    if (!__atomic_load_n(&real_is_ready, __ATOMIC_ACQUIRE)) [[unlikely]] find_real_functions();
    return real;
}

}  // namespace memtrace::preload
