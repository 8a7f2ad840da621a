// SPDX-License-Identifier: Apache-2.0
//
// The steps of a walk that no UnwindRule describes: by the full unwind data, or by a guess.
#include "preload/unwind/full_step.h"
#include "preload/unwind/stack_walker.h"
#include "preload/unwind/unwind_tables.h"

namespace memtrace::preload {
namespace {

// True if the instruction before `address` is a call, in a form that compilers emit: relative, or
// through a register or memory in several lengths.
bool follows_call(uint64_t address) {
    if (!is_readable((address & ~uint64_t{7}) - 8) || !is_readable(address & ~uint64_t{7})) {
        return false;
    }
    const auto* code = reinterpret_cast<const uint8_t*>(address);
    if (code[-5] == 0xe8) return true;
    const auto is_indirect = [](uint8_t opcode, uint8_t operand) {
        return opcode == 0xff && (operand >> 3 & 7) == 2;
    };
    for (const int length : {2, 3, 4, 6, 7}) {
        if (is_indirect(code[-length], code[-length + 1])) return true;
    }
    return false;
}

}  // namespace

StackWalker::Step StackWalker::step_otherwise(Position& at, StackFrame& frame, StackReader& stack) {
    if (frame.rule.ends()) return Step::complete;
    if (frame.rule.kind() != StepKind::full) return step_by_guess(at, frame, stack);
    ++counts.full_steps;
    const uint64_t sp = at.sp;
    switch (step_fully(at, stack, *scratch_)) {
        case FullStep::end: return Step::complete;
        case FullStep::no_data: return step_by_guess(at, frame, stack);
        case FullStep::unknown:
        case FullStep::failed: return Step::failed;
        case FullStep::stepped: break;
    }
    // A signal may have arrived on another stack.
    if (at.is_exact) stack = StackReader(bounds_, at.sp);
    else if (at.sp <= sp) return Step::failed;
    return at.pc == 0 ? Step::complete : Step::stepped;
}

// The code has no unwind data. It may keep a frame pointer, which is used only if everything
// agrees.
StackWalker::Step StackWalker::step_by_guess(Position& at, StackFrame& frame, StackReader& stack) {
    if (is_at_start_of_process(at.sp)) return Step::complete;
    const uint64_t fp = at.fp;
    if (fp < at.sp || !stack.can_read(fp) || !stack.can_read(fp + 8)) return Step::no_data;
    const uint64_t pc = StackReader::word(fp + 8);
    if (!is_known_code(pc) || !follows_call(pc)) return Step::no_data;
    frame.kind = NodeKind::guessed;
    ++counts.guessed;
    at = {pc, fp + 16, StackReader::word(fp), false};
    return Step::stepped;
}

}  // namespace memtrace::preload
