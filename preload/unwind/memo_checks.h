// SPDX-License-Identifier: Apache-2.0
//
// What the verified memo has to check before it may reuse a part of the last stack, by name. A test
// build leaves one of them out (-DMEMTRACE_WITHOUT=live_fp): some test must then fail, or the check
// is not needed, or not tested. tests/unwind does so for each of them.
#pragma once

#ifndef MEMTRACE_WITHOUT
#define MEMTRACE_WITHOUT none
#endif

namespace memtrace::preload {

enum class UnwindCheck {
    none,
    pc,             // a remembered frame is at the same call
    sp,             // with the same stack pointer
    live_fp,        // and the same rbp, where a frame further out is found through it
    return_slot,    // its return address still stands on the stack
    fp_slot,        // and the rbp that it saved, where that is needed
    indirect_slot,  // and the CFA that it keeps in memory
    barrier,        // a frame that no UnwindRule found is found anew
    reread_fp,      // after a changed word, rbp is read from the stack again
    generation,     // no code has been unloaded since
    unloading,      // nor is it being unloaded
    registration,   // nor were its tables taken back by the program that had registered them
    signal,         // a stack with a signal frame is not remembered
    depth,          // a stack that was cut is not remembered

    // What cached stacks of stacks have to check (stack_cache.h).
    cached_stack_call,        // the innermost call lies where it lay, and is the same
    cached_stack_fp,          // so is rbp, where it is live
    cached_stack_own,         // the words that are not in the shared prefix have their values
    cached_stack_prefix,      // and so have those that are
    cached_stack_generation,  // no code has been unloaded since
    cached_stack_unloading,   // nor is it being unloaded
};

// Whether this build makes the check: all but the one left out.
constexpr bool makes(UnwindCheck check) { return check != UnwindCheck::MEMTRACE_WITHOUT; }

// Whether a thread's last stack is used again. scripts/measure/bench-memo builds a shim that walks
// each stack from end to end: what the memo saves is the difference.
#ifdef MEMTRACE_WITHOUT_MEMO
inline constexpr bool uses_memo = false;
#else
inline constexpr bool uses_memo = true;
#endif

}  // namespace memtrace::preload
