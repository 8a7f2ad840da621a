// SPDX-License-Identifier: Apache-2.0
//
// Reads a stack without trusting the layout: every word with care, every object's type, every
// length. Some stacks are read like this before any stack is read without checks.
#pragma once

#include <cstdint>

#include "preload/python/python_frame_reader.h"
#include "preload/python/python_runtime.h"

namespace memtrace::preload {

struct CheckedPythonStack {
    const char* surprise = nullptr;  // what is unexpected, or nullptr; Python must be switched off
    bool is_convincing = false;      // nothing is odd, and there is at least one frame
    bool is_cut = false;
    uint32_t length = 0;
    uint64_t hash = 0;  // of the positions of its frames
};

// Writes the frames to `frames`, innermost first, at most `length_max`.
CheckedPythonStack check_python_stack(const PythonRuntime& runtime, uint64_t tstate,
                                      PythonFrame* frames, uint32_t length_max);

}  // namespace memtrace::preload
