// SPDX-License-Identifier: Apache-2.0
//
// Stacks by their cached stacks, as the shim knows those that come again, for truth.cpp and
// compare.cpp. Allocates nothing: compare.cpp is asked in the middle of allocations.
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

// Of one thread; zeros are one.
class Recogniser {
public:
    // The stack of the hook with the frame pointer `frame`, if a cached stack knows it.
    const KnownStack* find(const void* frame);

    // A stack that find() did not know, which has just been walked. The shim waits until it has met
    // one twice; here once is enough.
    void add(const void* frame, const memtrace::preload::StackMemo& memo);

    uint64_t found() const { return stack_cache_.hits(); }

private:
    uint32_t keep(const memtrace::preload::StackMemo& memo);

    memtrace::preload::StackCache stack_cache_;
    char* stacks_ = nullptr;  // by id, in units of unit_bytes
    uint64_t next_ = 1;
};

}  // namespace truth
