// SPDX-License-Identifier: Apache-2.0
//
// The measured ways to capture a stack. All but the first end with the stack's id.
#pragma once

#include <cstdint>

#include "bench/unwind/unwind_stacks.h"
#include "preload/recording/thread_lane.h"
#include "preload/unwind/stack_walker.h"

namespace memtrace::bench {

constexpr uint32_t depth_max = 128;

// Ids for the stacks of an unwinder without a memory. Ids of unchanged outer frames are used again,
// and the others are looked up one by one, as memtrace did while it used libunwind. The ids differ
// from those of capture_stack(), which may store its nodes in another way.
struct LastStack {
    uint64_t frames[depth_max];  // outermost first
    uint32_t ids[depth_max];
    uint64_t paths[depth_max];
    uint32_t length = 0;
};

// The state that a site needs. Each thread has its own.
struct Capturing : Run {
    preload::ThreadLane* lane = nullptr;
    preload::StackWalker* walker = nullptr;  // for table_walk
    uint32_t depth = 0;
    uint32_t id = 0;  // result of the last capture
    LastStack last;   // for all captures but memtrace's own
    void* found[depth_max];

protected:
    ~Capturing() = default;
};

struct Capture {
    const char* name;
    Run::Function* site;
    Run::Function* reference;  // must find the same id; nullptr if nothing can
    bool is_cut;               // needs one frame more than it may see
};

enum : unsigned { nothing, memtrace_memo, table_walk, libunwind, libgcc, captures_count };
extern const Capture captures[captures_count];

// Returns false if there is no libunwind.so.8.
bool open_libunwind();

// Returns the number of frames that a capture sees: those outside the hook that calls this.
uint32_t count_frames(preload::StackWalker& walker, const void* frame);

}  // namespace memtrace::bench
