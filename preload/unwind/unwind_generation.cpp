// SPDX-License-Identifier: Apache-2.0
#include "preload/unwind/unwind_generation.h"

#include "preload/base/hot_data.h"

namespace memtrace::preload {

MEMTRACE_HOT_DATA std::atomic<uint64_t> unload_state{uint64_t{1} << unload_generation_shift};

void begin_unload() { unload_state.fetch_add(1, std::memory_order_seq_cst); }

void end_unload() {
    uint64_t state = unload_state.load();
    uint64_t next;
    do {
        next = state + (uint64_t{1} << unload_generation_shift);
        // Never below zero: a destructor may have forked, and this process is the child.
        if ((state & ((uint64_t{1} << unload_generation_shift) - 1)) != 0) next -= 1;
    } while (!unload_state.compare_exchange_weak(state, next, std::memory_order_seq_cst));
}

void end_unloads_of_parent() {
    if (is_unloading()) unload_state.store((unwind_generation() + 1) << unload_generation_shift);
}

}  // namespace memtrace::preload
