// SPDX-License-Identifier: Apache-2.0
//
// A stack's frames in one line, outermost first, with Python's frames where they belong: behind the
// native frame of the evaluation loop that runs them.
//
// Where each Python frame belongs is told by addresses, not by names: its evaluation loop has an
// object on the C stack that the thread state leads to, and that address is in exactly one native
// frame. For 3.8 and 3.9 there is none; there every call of the loop runs one frame, and they are
// counted from the innermost one: outer ones may be cut off, or belong to another greenlet.
#pragma once

#include <cstdint>

#include "memtrace/dump/names.h"
#include "preload/python/python_walker.h"
#include "preload/unwind/stack_walker.h"

namespace memtrace::preload {

class Lane;

// What the frames of a StackMemo and of a PythonStack come to, and their names. The number that a
// memo keeps for each of its frames is the count of elements up to that frame's last.
struct MergedStack {
    uint64_t* words = nullptr;  // node_word()
    uint64_t* paths = nullptr;  // stack_hash()
    uint32_t* ids = nullptr;
    uint32_t length = 0;
    // Of the last merge: what says that Python frames are missing is an element behind the
    // outermost native one.
    PythonGap gap = PythonGap::unnamed;
    // 3.8 and 3.9: so many outermost loops run no frame; below 0, so many frames have no loop.
    int32_t spare_loops = 0;

    // Room for `elements`. False: there is no memory.
    bool prepare(uint32_t elements);
};

// How many outermost frames of the memo still have the elements that they had: they were kept by
// both walks, and no Python frame has come in between.
uint32_t unchanged_frames(const MergedStack& merged, const StackMemo& memo,
                          const PythonStack& pythons);

// Writes the elements of the memo's frames from `begin` inward.
void merge_frames(Lane& lane, MergedStack& merged, StackMemo& memo, const PythonStack& pythons,
                  uint32_t begin);

}  // namespace memtrace::preload
