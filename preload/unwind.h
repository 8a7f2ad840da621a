// SPDX-License-Identifier: Apache-2.0
//
// The walker of native stacks, behind one function, so that a faster one can take its place. This
// one asks libunwind, which is opened at the start and never linked: it exports the unwinder's
// public names, and preloading those would hijack the program's C++ exceptions.
#pragma once

#include <atomic>
#include <cstdint>

namespace memtrace::preload {

// Opens libunwind from the shim's own folder or the system. Only from a constructor: it uses
// dlopen. False: there is none; stacks are then one frame deep and marked as cut.
bool open_unwinder();

bool unwinder_is_ready();
bool unwinder_is_missing();  // It was looked for and not found.

// libunwind has locks of its own. A child that was forked while another thread held one would wait
// for it forever. So fork() keeps threads out of libunwind while it runs: prepare waits until none
// is inside, for a moment only (a thread may be stuck there), and threads that arrive meanwhile get
// a stack of one frame. If somebody was inside after all, or the child was made without fork(), the
// child's stacks are one frame deep and marked: see unwinder_is_ready().
void prepare_unwinder_for_fork();
void finish_unwinder_after_fork(bool is_child);

// For a child that begins its dump: whether its fork was seen and the unwinder can be used.
void check_unwinder_in_child();

// Whether an allocation that is called from here is libunwind's: from its own code, or from ld.so,
// which allocates its thread-local variables at their first use.
bool is_unwinder_code(uint64_t address);

// Writes the return addresses of this thread, innermost first, to `out` and returns how many; at
// most `max`. Starts somewhere inside the shim: the caller looks for the frame that it knows.
// `inside` is the thread's own flag, which prepare_unwinder_for_fork() looks at.
uint32_t unwind(uint64_t* out, uint32_t max, std::atomic<bool>& inside);

}  // namespace memtrace::preload
