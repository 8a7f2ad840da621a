// SPDX-License-Identifier: Apache-2.0
//
// The checks that the verified memo must make before it may reuse a part of the last stack, by
// name. A test build leaves one check out (-DMEMTRACE_WITHOUT=live_fp). Some test must then fail;
// otherwise the check is not needed, or not tested. tests/unwind does this for each check.
#pragma once

#ifndef MEMTRACE_WITHOUT
#define MEMTRACE_WITHOUT none
#endif

namespace memtrace::preload {

enum class UnwindCheck {
    none,
    pc,             // a remembered frame is at the same call
    sp,             // with the same stack pointer
    live_fp,        // and the same rbp, if a frame further out is found through it
    return_slot,    // its return address is still on the stack
    fp_slot,        // and the rbp that it saved, if that is needed
    indirect_slot,  // and the CFA that it keeps in memory
    barrier,        // a frame not found by an UnwindRule is found anew
    reread_fp,      // after a changed word, rbp is read from the stack again
    generation,     // no code has been unloaded since
    unloading,      // no code is being unloaded
    registration,   // the program has not deregistered its tables since
    signal,         // a stack with a signal frame is not remembered

    // Checks of cached stacks (stack_cache.h).
    cached_stack_call,        // the innermost call has the same position and address
    cached_stack_fp,          // so has rbp, if it is live
    cached_stack_own,         // the words outside the shared prefix have their values
    cached_stack_prefix,      // so have the words in the shared prefix
    cached_stack_generation,  // no code has been unloaded since
    cached_stack_unloading,   // no code is being unloaded
};

// True if this build makes the check. It makes all checks except the one that is left out.
constexpr bool makes(UnwindCheck check) { return check != UnwindCheck::MEMTRACE_WITHOUT; }

// True if a thread's last stack is reused. scripts/measure/bench-memo builds a shim that walks each
// stack from end to end. The difference is what the memo saves.
#ifdef MEMTRACE_WITHOUT_MEMO
inline constexpr bool uses_memo = false;
#else
inline constexpr bool uses_memo = true;
#endif

}  // namespace memtrace::preload
