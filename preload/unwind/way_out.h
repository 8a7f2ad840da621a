// SPDX-License-Identifier: Apache-2.0
//
// The way out of a function without unwind data: its machine code is followed from the call to the
// return, as if every call came back.
//
//   call malloc@plt        the stack pointer is known here
//   add  $24, %rsp         so it is 24 more here,
//   pop  %rbx              and 32 more here:
//   ret                    the return address is at rsp + 32 of the call
//
// This is a guess: of a branch both sides are tried, and a call may never come back. What is found
// is used only if the word there is an address behind a call.
#pragma once

#include <cstdint>

#include "preload/unwind/full_step.h"
#include "preload/unwind/stack_reader.h"
#include "preload/unwind/unwind_rule.h"

namespace memtrace::preload {

// True if the instruction before `address` is a call, and the address is in known code.
bool is_behind_call(uint64_t address);

// Returns the rule by which the frame at `at` finds its caller, sp_keep to fp_save, or a rule of
// kind none. `at.pc` must be in a loaded object.
UnwindRule find_way_out(const Position& at, StackReader& stack);

}  // namespace memtrace::preload
