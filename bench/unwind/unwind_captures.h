// SPDX-License-Identifier: Apache-2.0
//
// The ways to capture a stack that are measured. All but the first end with the stack's id.
#pragma once

#include <cstdint>

#include "bench/unwind/unwind_stacks.h"
#include "preload/recording/thread_lane.h"
#include "preload/unwind/stack_walker.h"

namespace memtrace::bench {

constexpr uint32_t depth_max = 128;

// Ids for stacks of an unwinder that remembers nothing: those of the outer frames that are as they
// were the last time are used again, the others are looked up one by one. memtrace did so while it
// used libunwind. They are not those of capture_stack(), which may file its nodes in another way.
struct LastStack {
    uint64_t frames[depth_max];  // outermost first
    uint32_t ids[depth_max];
    uint64_t paths[depth_max];
    uint32_t length = 0;
};

// What a site needs. One for each thread.
struct Capturing : Run {
    preload::ThreadLane* lane = nullptr;
    preload::StackWalker* walker = nullptr;  // of table_walk
    uint32_t depth = 0;
    uint32_t id = 0;  // what the last capture found
    LastStack last;   // of all but memtrace itself
    void* found[depth_max];

protected:
    ~Capturing() = default;
};

struct Capture {
    const char* name;
    Run::Function* site;
    Run::Function* reference;  // must find the same id; nullptr: nothing can
    bool is_cut;               // has to be given one frame more than it may see
};

enum : unsigned { nothing, memtrace_memo, table_walk, libunwind, libgcc, captures_count };
extern const Capture captures[captures_count];

// False: there is no libunwind.so.8 here.
bool open_libunwind();

// How many frames a capture sees from here on: counts those outside of the hook that calls it.
uint32_t count_frames(preload::StackWalker& walker, const void* frame);

}  // namespace memtrace::bench
