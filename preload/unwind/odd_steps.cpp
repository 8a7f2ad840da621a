// SPDX-License-Identifier: Apache-2.0
//
// The steps of a walk that no UnwindRule describes: by the full unwind data, or by a guess.
#include "preload/unwind/full_step.h"
#include "preload/unwind/stack_walker.h"
#include "preload/unwind/unwind_tables.h"
#include "preload/unwind/way_out.h"

namespace memtrace::preload {

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

// The code has no unwind data.
StackWalker::Step StackWalker::step_by_guess(Position& at, StackFrame& frame, StackReader& stack) {
    if (is_at_start_of_process(at.sp)) return Step::complete;
    Position caller;
    if (!take_way_out(at, stack, caller) && !follow_frame_pointer(at, stack, caller)) {
        return Step::no_data;
    }
    frame.kind = NodeKind::guessed;
    ++counts.guessed;
    at = caller;
    return Step::stepped;
}

bool StackWalker::take_way_out(const Position& at, StackReader& stack, Position& caller) {
    const UnwindRule rule = way_out_at(at, stack);
    if (rule.kind() == StepKind::none) return false;
    const uint64_t cfa =
        (rule.reads_frame_pointer() ? at.fp : at.sp) + static_cast<uint64_t>(rule.cfa_offset());
    const uint64_t slot =
        rule.keeps_frame_pointer() ? 0 : cfa + static_cast<uint64_t>(rule.save_offset());
    if (cfa <= at.sp || !stack.can_read(cfa - 8) || (slot != 0 && !stack.can_read(slot))) {
        return false;
    }
    const uint64_t pc = StackReader::word(cfa - 8);
    if (!is_behind_call(pc)) return false;
    caller = {pc, cfa, slot != 0 ? StackReader::word(slot) : at.fp, false};
    return true;
}

// Code is followed once only, while nothing is unloaded.
UnwindRule StackWalker::way_out_at(const Position& at, StackReader& stack) {
    KnownWayOut& known = ways_out_[at.pc % ways_out_max];
    if (known.pc != at.pc || known_generation_ == 0) {
        known = {at.pc, find_way_out(at, stack)};
    }
    return known.rule;
}

// The code may keep a frame pointer, which is used only if everything agrees.
bool StackWalker::follow_frame_pointer(const Position& at, StackReader& stack, Position& caller) {
    const uint64_t fp = at.fp;
    if (fp < at.sp || !stack.can_read(fp) || !stack.can_read(fp + 8)) return false;
    const uint64_t pc = StackReader::word(fp + 8);
    if (!is_behind_call(pc)) return false;
    caller = {pc, fp + 16, StackReader::word(fp), false};
    return true;
}

}  // namespace memtrace::preload
