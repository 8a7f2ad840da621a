// SPDX-License-Identifier: Apache-2.0
//
// How one frame finds its caller, in eight bytes. Compilers need a handful of shapes; a whole
// libtorch_cpu has some 1,400 different rules. What has another shape is `wide`: a step with all
// registers and the table's own row (wide_step.h).
//
// CFA: the stack pointer before the call; the return address is always at CFA - 8 here. rsp and rbp
// are the frame's, at its call. o and k are the two numbers of the rule.
#pragma once

#include <bit>
#include <cstdint>

#include "preload/cfi.h"

namespace memtrace::preload {

enum class StepKind : uint8_t {
    none = 0,   // no unwind data for this code
    sp_keep,    // CFA = rsp + o, rbp unchanged
    sp_save,    // CFA = rsp + o, the caller's rbp at CFA + k
    fp_keep,    // CFA = rbp + o, rbp unchanged
    fp_save,    // CFA = rbp + o, the caller's rbp at CFA + k
    indirect,   // CFA = *(rbp + o), the caller's rbp at rbp + k: frames with realigned stacks
    end,        // the first function of a thread: nobody called it
    wide,       // anything else
    made,       // as `end`, of a stack that was made by hand: the address is the function's start
};

struct StepRule {
    int32_t  cfa_offset = 0;    // o, in bytes
    int16_t  save_offset = 0;   // k, in bytes
    StepKind kind = StepKind::none;
    uint8_t  unused = 0;

    bool operator==(const StepRule&) const = default;

    // Whether finding the caller needs the frame's own rbp, not only to pass it on.
    bool reads_frame_pointer() const {
        return kind == StepKind::fp_keep || kind == StepKind::fp_save ||
               kind == StepKind::indirect;
    }
    // Whether nobody called the function, and so nothing has to be compared.
    bool ends() const { return kind == StepKind::end || kind == StepKind::made; }
    bool keeps_frame_pointer() const {
        return kind == StepKind::sp_keep || kind == StepKind::fp_keep;
    }
};
static_assert(sizeof(StepRule) == 8);

inline uint64_t word_of(const StepRule& rule) { return std::bit_cast<uint64_t>(rule); }

// The rule that does what the row says.
StepRule reduce(const UnwindRow& row);

}  // namespace memtrace::preload
