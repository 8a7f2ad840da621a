// SPDX-License-Identifier: Apache-2.0
//
// The walker of native stacks, behind one function, so that a faster one can take its place. This
// one asks libunwind, which is opened at the start and never linked: it exports the unwinder's
// public names, and preloading those would hijack the program's C++ exceptions.
#pragma once

#include <cstdint>

namespace memtrace::preload {

// Opens libunwind from the shim's own folder or the system. Only from a constructor: it uses
// dlopen. False: there is none; stacks are then one frame deep and marked as cut.
bool open_unwinder();

bool unwinder_is_ready();
bool unwinder_is_missing();  // It was looked for and not found.

// Writes the return addresses of this thread, innermost first, to `out` and returns how many; at
// most `max`. Starts somewhere inside the shim: the caller looks for the frame that it knows.
uint32_t unwind(uint64_t* out, uint32_t max);

}  // namespace memtrace::preload
