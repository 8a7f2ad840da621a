// SPDX-License-Identifier: Apache-2.0
//
// StackWalker's short way, for stacks that are near the one that it remembers. What it steps over
// it does not remember: to write that down costs more than to step over it again.
#include "preload/rule_table.h"
#include "preload/stack_walk.h"
#include "preload/unwind_checks.h"

namespace memtrace::preload {
namespace {

// As Position, of a frame at its call.
struct Place {
    uint64_t pc;
    uint64_t sp;
    uint64_t fp;
};

// Goes from `at` to the caller of the function that it is in. False: not by a rule of the simple
// kinds, or not to another place between rsp and the `end` of the thread's own stack.
[[gnu::always_inline]] inline bool step_over(Place& at, StepRule rule, uint64_t end) {
    if (rule.kind < StepKind::sp_keep || rule.kind > StepKind::fp_save) [[unlikely]] return false;
    const uint64_t base = rule.reads_frame_pointer() ? at.fp : at.sp;
    const uint64_t cfa = base + static_cast<uint64_t>(int64_t{rule.cfa_offset});
    if (cfa <= at.sp || cfa > end || (cfa & 7) != 0) [[unlikely]] return false;
    if (!rule.keeps_frame_pointer()) {
        const uint64_t slot = cfa + static_cast<uint64_t>(int64_t{rule.save_offset});
        if (slot < at.sp || slot >= cfa || (slot & 7) != 0) [[unlikely]] return false;
        at.fp = StackReader::word(slot);
    }
    at.pc = StackReader::word(cfa - 8);
    at.sp = cfa;
    return true;
}

// Steps over frames as long as they are the expected ones; writes their words down, and returns how
// many these were.
[[gnu::always_inline]] inline uint32_t step_over_expected(Place& at, const Expectation& expected,
                                                          uint64_t end, uint64_t* words) {
    Place here = at;
    uint32_t i = 0;
    for (; i < expected.count; ++i) {
        const uint64_t word = expected.word(i);
        if ((word & Expectation::address_mask) != here.pc) break;
        if (!step_over(here, step_rule_of(static_cast<uint16_t>(word >> 48)), end)) break;
        words[i] = word;
    }
    at = here;
    return i;
}

}  // namespace

// `unloads` is unload_state.
bool StackWalker::can_follow(const StackMemo& memo, uint64_t unloads) {
    if (!uses_memo || memo.length == 0 || !memo.is_on_own_stack) return false;
    if (is_unloading_in(unloads) && makes(UnwindCheck::unloading)) return false;
    if (makes(UnwindCheck::generation)) return memo.generation == unwind_generation_in(unloads);
    return memo.generation != 0;
}

// How many of the memo's outermost frames the stack outward from `at` may consist of; `guess` is
// probably near. 0: no frame is there.
uint32_t StackWalker::find_joint(const StackMemo& memo, const Position& at, uint32_t guess) {
    uint32_t outer = guess < memo.length ? guess : memo.length;
    while (outer < memo.length && memo.frames[outer].sp >= at.sp) ++outer;
    while (outer > 0 && memo.frames[outer - 1].sp < at.sp) --outer;
    return outer != 0 && is_at(memo.frames[outer - 1], at) ? outer : 0;
}

bool StackWalker::repeats(const void* frame, uint32_t depth, FollowedStack& stack) {
    StackMemo& memo = memos_[own_memo];
    if (!can_follow(memo, unload_state.load(std::memory_order_acquire))) return false;
    const auto* call = static_cast<const uint64_t*>(frame);
    const Position at{call[1], reinterpret_cast<uint64_t>(call + 2), call[0], false};
    if (!is_at(memo.frames[memo.length - 1], at) || memo.length > depth) return false;
    // A fiber's stack may lie where another one had such a frame.
    if (!bounds_.own(at.sp)) return false;
    if (find_mismatch(memo, memo.length - 1) != no_mismatch) return false;
    ++counts.followed;
    counts.verified += memo.length;
    stack.memo = &memo;
    stack.outer = memo.length;
    stack.count = 0;
    return true;
}

bool StackWalker::follow(const void* frame, uint32_t depth, const Expectation& expected,
                         FollowedStack& stack) {
    StackMemo& memo = memos_[own_memo];
    const uint64_t unloads = unload_state.load(std::memory_order_acquire);
    if (!can_follow(memo, unloads)) return false;
    const uint64_t generation = unwind_generation_in(unloads);
    const auto* call = static_cast<const uint64_t*>(frame);
    Place at{call[1], reinterpret_cast<uint64_t>(call + 2), call[0]};
    if (!bounds_.own(at.sp)) return false;
    const uint64_t end = bounds_.high();
    uint32_t count = 0;
    if (expected.generation == generation) {
        count = step_over_expected(at, expected, end, stack.words);
    }
    stack.is_expected = count != 0 && count == expected.count;
    uint32_t outer_max = memo.length;  // further in the memo is not right
    uint32_t outer;
    for (;;) {
        outer = find_joint(memo, {at.pc, at.sp, at.fp, false}, memo.last_joint);
        if (outer != 0 && outer <= outer_max) {
            const uint32_t mismatch = find_mismatch(memo, outer - 1);
            if (mismatch == no_mismatch) break;
            outer_max = outer - 1;
            while (outer_max != 0 && memo.frames[outer_max - 1].checks > mismatch) --outer_max;
        }
        if (count == expected_frames_max) return false;
        stack.is_expected = false;
        const NumberedRule found = find_rule(at.pc, generation);
        if (found.number == 0) return false;
        stack.words[count++] = expected_word(at.pc, found.number);
        if (!step_over(at, found.rule, end)) return false;
    }
    if (outer + count > depth) return false;
    memo.last_joint = outer;
    ++counts.followed;
    counts.stepped += count;
    counts.verified += outer;
    stack.memo = &memo;
    stack.outer = outer;
    stack.count = count;
    return true;
}

}  // namespace memtrace::preload
