// SPDX-License-Identifier: Apache-2.0
//
// The unwind rule: how one frame finds its caller, in eight bytes. Compilers need only a few
// shapes; a whole libtorch_cpu has about 1,400 different rules. Any other shape is `full`: a full
// step with all registers and the table's own row (full_step.h).
//
// CFA is the stack pointer before the call; the return address is always at CFA - 8 here. rsp and
// rbp are the frame's, at its call. o and k are the two numbers of the rule.
#pragma once

#include <cstdint>

#include "preload/unwind/cfi.h"

namespace memtrace::preload {

enum class StepKind : uint8_t {
    none = 0,  // no unwind data for this code
    sp_keep,   // CFA = rsp + o, rbp unchanged
    sp_save,   // CFA = rsp + o, the caller's rbp at CFA + k
    fp_keep,   // CFA = rbp + o, rbp unchanged
    fp_save,   // CFA = rbp + o, the caller's rbp at CFA + k
    indirect,  // CFA = *(rbp + o), the caller's rbp at rbp + k: frames with realigned stacks
    end,       // the first function of a thread, which has no caller
    full,      // anything else: a full step
    made,      // as `end`, of a stack that was made by hand: the address is the function's start
};

// One word, o:32 k:16 kind:8, because a walk writes rules and reads them again at once. A processor
// forwards a store to a load only if both cover the same piece.
class UnwindRule {
public:
    constexpr UnwindRule() = default;
    constexpr explicit UnwindRule(StepKind kind, int32_t cfa_offset = 0, int16_t save_offset = 0)
        : word_(static_cast<uint32_t>(cfa_offset) |
                static_cast<uint64_t>(static_cast<uint16_t>(save_offset)) << 32 |
                static_cast<uint64_t>(kind) << 48) {}
    static constexpr UnwindRule of_word(uint64_t word) {
        UnwindRule rule;
        rule.word_ = word;
        return rule;
    }
    constexpr uint64_t word() const { return word_; }

    constexpr StepKind kind() const { return static_cast<StepKind>(word_ >> 48); }
    // o and k, in bytes.
    constexpr int64_t cfa_offset() const { return static_cast<int32_t>(word_); }
    constexpr int64_t save_offset() const { return static_cast<int16_t>(word_ >> 32); }

    bool operator==(const UnwindRule&) const = default;

    // True if finding the caller needs the frame's own rbp, not only to pass it on.
    constexpr bool reads_frame_pointer() const {
        return kind() == StepKind::fp_keep || kind() == StepKind::fp_save ||
               kind() == StepKind::indirect;
    }
    // True if the function has no caller, so that nothing must be compared.
    constexpr bool ends() const { return kind() == StepKind::end || kind() == StepKind::made; }
    constexpr bool keeps_frame_pointer() const {
        return kind() == StepKind::sp_keep || kind() == StepKind::fp_keep;
    }

private:
    uint64_t word_ = 0;
};

// Returns the rule with the same effect as the row.
UnwindRule reduce(const UnwindRow& row);

}  // namespace memtrace::preload
