// SPDX-License-Identifier: Apache-2.0
//
// Recognises stacks through cached stacks, as the shim does with stacks that come again; for
// truth.cpp and compare.cpp. Allocates nothing, because compare.cpp runs inside allocations.
//
// The code is in a file of its own, which mutants of the unwinder are built with.
#pragma once

#include <cstdint>

#include "preload/unwind/stack_cache.h"
#include "preload/unwind/stack_walker.h"

namespace truth {

// The native frames of a stack, innermost first.
struct KnownStack {
    memtrace::preload::StackEnd end;
    uint32_t length;
    struct Frame {
        uint64_t pc;
        memtrace::NodeKind kind;
    };
    Frame frames[1];

    bool is(const memtrace::preload::StackMemo& memo) const;
};

// One thread's cached stacks; zeros are a valid one.
class Recogniser {
public:
    // Returns the stack of the hook with the frame pointer `frame` if a cached stack matches.
    const KnownStack* find(const void* frame);

    // Adds a stack that find() did not know and that has just been walked. The shim waits until it
    // has met a stack twice; here once is enough.
    void add(const void* frame, const memtrace::preload::StackMemo& memo);

    uint64_t found() const { return stack_cache_.hits(); }

private:
    uint32_t keep(const memtrace::preload::StackMemo& memo);

    memtrace::preload::StackCache stack_cache_;
    char* stacks_ = nullptr;  // by id, in units of unit_bytes
    uint64_t next_ = 1;
};

}  // namespace truth
