// SPDX-License-Identifier: Apache-2.0
//
// One element of the Python part of a cached stack: a frame, and where the frame outside it is
// kept. Stacks share their outer frames, as native stacks do.
#pragma once

#include <cstdint>

#include "preload/python/python_frame_reader.h"

namespace memtrace::preload {

enum class PythonStackStatus : uint8_t {
    ok,
    none,             // there is no Python in this process
    off,              // there is, but its frames cannot be read: python_why()
    no_thread_state,  // Python has never run on this thread
    empty,            // it has, but runs no code now
    finalizing,       // the interpreter ends, and this thread's frames may be gone
    truncated,        // the outermost frames are missing
    unsure,           // the innermost frames may be missing: another interpreter's
};
inline constexpr unsigned statuses = 8;

// A frame and all frames outside it, in the arena of a thread's cached stacks. The address of a
// frame does not identify it: frames of generators, and before 3.11 all frames, lie elsewhere each
// time.
struct CachedPythonStack {
    PythonFrame frame;     // its address is where the frame lay the last time
    uint64_t freed_codes;  // FreedCodes::count() when the code objects of all frames still existed
    uint16_t outer;        // offset of the next frame outward; no_place if there is none
    uint16_t length;       // frames of the stack; 0: there are none, and `frame` is unused
    uint16_t older;        // offset of the previous element with the same hash
    PythonStackStatus status;
};

}  // namespace memtrace::preload
