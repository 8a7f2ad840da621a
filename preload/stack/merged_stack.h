// SPDX-License-Identifier: Apache-2.0
//
// A stack's frames in one sequence, outermost first, with each Python frame behind the native
// frame of the evaluation loop that runs it.
//
// Addresses, not names, tell where each Python frame belongs. Its evaluation loop has an object
// on the C stack that the thread state leads to, and that object's address is in exactly one
// native frame. 3.8 and 3.9 have no such object. There, every call of the loop runs one frame,
// and frames are counted from the innermost frame, because outer frames may be cut off or belong
// to another greenlet.
#pragma once

#include <cstdint>

#include "memtrace/dump/names.h"
#include "preload/python/python_walker.h"
#include "preload/unwind/stack_walker.h"

namespace memtrace::preload {

class Lane;

// The elements that the frames of a StackMemo and of a PythonStack become, and their ids. The
// number that a memo keeps for each frame is the count of elements up to that frame's last
// element.
struct MergedStack {
    uint64_t* words = nullptr;  // node_word()
    uint64_t* paths = nullptr;  // stack_hash()
    uint32_t* ids = nullptr;
    uint32_t length = 0;
    uint64_t root = 0;  // root_hash() of the generation of `ids`
    // The gap of the last merge. The element that says that Python frames are missing comes
    // behind the outermost native frame.
    PythonGap gap = PythonGap::unnamed;
    // 3.8 and 3.9: the number of outermost loops that run no frame; if negative, the number of
    // frames without a loop.
    int32_t spare_loops = 0;

    // Makes room for `elements`. Returns false if there is no memory.
    bool prepare(uint32_t elements);
};

// Returns how many outermost frames of the memo still have their elements: both walks kept them,
// and no Python frame has come in between.
uint32_t unchanged_frames(const MergedStack& merged, const StackMemo& memo,
                          const PythonStack& pythons);

// Writes the elements of the memo's frames from `begin` inward. Returns the place of the first
// element that may be another one than before.
uint32_t merge_frames(Lane& lane, MergedStack& merged, StackMemo& memo, const PythonStack& pythons,
                      uint32_t begin);

}  // namespace memtrace::preload
