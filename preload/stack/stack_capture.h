// SPDX-License-Identifier: Apache-2.0
//
// Returns the call stack of an event, as its id in the stack table.
#pragma once

#include <cstdint>

#include "memtrace/dump/records.h"
#include "preload/python/python_stack_cache.h"
#include "preload/stack/autograd_node.h"
#include "preload/stack/merged_stack.h"
#include "preload/unwind/stack_walker.h"

namespace memtrace::preload {

class Lane;

inline constexpr uint32_t stack_depth_limit = 4096;  // largest value of the option `depth`

// The state of capturing one thread's stacks.
struct StackCaptureState {
    uint64_t generation = 0;       // of the stack table; ids of another generation are void
    uint64_t rule_generation = 0;  // of the rules; cached stacks of another generation are void
    const StackMemo* last_memo = nullptr;
    uint32_t python_kept = 0;  // number of Python frames in `merged` that have not changed since
    // The memo and the Python frames of the stack that is being captured.
    const StackMemo* found = nullptr;
    PythonStack pythons;
    StackCache stack_cache;
    PythonStackCache python_stack_cache;
    StackWalker walker;
    MergedStack merged[StackWalker::memos_max];  // one for each of the walker's memos
    PythonWalker python;
    AutogradWatch* autograd = nullptr;  // of the same thread
};

// Returns the id of the stack of the hook with the frame pointer `frame` (MEMTRACE_FRAME). The
// hook's caller is the innermost frame. New nodes are written to the lane before the id is
// returned.
uint32_t capture_stack(Lane& lane, StackCaptureState& state, const void* frame);

// Returns the id of a stack of one frame, the caller of that hook, which is marked as cut for
// `why`.
uint32_t cut_stack(Lane& lane, const void* frame, Cut why);

}  // namespace memtrace::preload
