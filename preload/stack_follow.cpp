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
    // Above rsp, and not above `end`.
    if (cfa - at.sp - 1 >= end - at.sp || (cfa & 7) != 0) [[unlikely]] return false;
    // Whether a function saves rbp is as good as random: what is beside the return address is read
    // where it does not, and thrown away.
    const bool keeps = rule.keeps_frame_pointer();
    const uint64_t slot = cfa + static_cast<uint64_t>(int64_t{keeps ? -8 : rule.save_offset});
    if (slot - at.sp >= cfa - at.sp || (slot & 7) != 0) [[unlikely]] return false;
    const uint64_t saved = StackReader::word(slot);
    at.fp = keeps ? at.fp : saved;
    at.pc = StackReader::word(cfa - 8);
    at.sp = cfa;
    return true;
}

void write_down(FollowedStack& stack, uint32_t i, uint64_t word, const Place& at) {
    stack.words[i] = word;
    stack.sps[i] = at.sp;
    stack.fps[i] = at.fp;
}

// Goes on over frames, of which there are `i` so far, as long as they are the expected ones, up to
// the one with the number `last`; writes them down, and returns how many there are then. What is
// expected comes as a copy, which writing to `stack` cannot change: so it is read once.
[[gnu::always_inline]] inline uint32_t step_over_expected(Place& at, Expectation expected,
                                                          uint32_t i, uint32_t last, uint64_t end,
                                                          FollowedStack& stack) {
    Place here = at;
    for (; i < last; ++i) {
        const uint64_t word = expected.word(i);
        if ((word & Expectation::address_mask) != here.pc) break;
        write_down(stack, i, word, here);
        if (!step_over(here, step_rule_of(static_cast<uint16_t>(word >> 48)), end)) break;
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

// How many of the memo's outermost frames have an rsp of `sp` or more: those that a frame with it
// may be one of. They are looked for all over the stack, so a search that halves it beats one from
// the last place; and none of its steps is a guess of the processor's.
[[gnu::hot]] uint32_t StackWalker::frames_from(const StackMemo& memo, uint64_t sp) {
    uint32_t outer = 0;
    for (uint32_t left = memo.length; left > 0;) {
        const uint32_t half = (left + 1) / 2;
        const bool is_outside = memo.frames[outer + half - 1].sp >= sp;
        outer += is_outside ? half : 0;
        left = is_outside ? left - half : half - 1;
    }
    return outer;
}

// As frames_from(), where it is probably a number that ends with the bits of `outer`.
inline uint32_t StackWalker::probable_joint(const StackMemo& memo, uint64_t sp, uint32_t outer) {
    const uint32_t joint = memo.length - ((memo.length - outer) & Expectation::depth_mask);
    if (joint - 1 < memo.length && memo.frames[joint - 1].sp == sp) [[likely]] return joint;
    return frames_from(memo, sp);
}

// The memo's innermost frame is the one that `frame` was called by.
[[gnu::hot]] bool StackWalker::repeats_from_top(const void* frame, uint32_t depth,
                                                FollowedStack& stack) {
    StackMemo& memo = memos_[own_memo];
    if (!can_follow(memo, unload_state.load(std::memory_order_acquire))) return false;
    if (memo.length > depth) return false;
    // A fiber's stack may lie where another one had such a frame.
    if (!bounds_.own(position_of(frame).sp)) return false;
    if (find_mismatch(memo, memo.length - 1) != no_mismatch) return false;
    ++counts.followed;
    counts.verified += memo.length;
    stack.memo = &memo;
    stack.outer = memo.length;
    stack.count = 0;
    return true;
}

[[gnu::hot]] bool StackWalker::follow(const void* frame, uint32_t depth,
                                      const Expectation& expected, FollowedStack& stack) {
    StackMemo& memo = memos_[own_memo];
    const uint64_t unloads = unload_state.load(std::memory_order_acquire);
    stack.count = 0;
    if (!can_follow(memo, unloads)) return false;
    const uint64_t generation = unwind_generation_in(unloads);
    const auto* call = static_cast<const uint64_t*>(frame);
    Place at{call[1], reinterpret_cast<uint64_t>(call + 2), call[0]};
    if (!bounds_.own(at.sp)) return false;
    const uint64_t end = bounds_.high();
    // Of several chains that are expected, the first may already lead to the memo.
    const uint32_t likely = expected.generation == generation ? expected.count : 0;
    const auto next_joint = [likely](uint32_t so_far) {
        return likely - so_far > expected_frames_max ? so_far + expected_frames_max : likely;
    };
    constexpr uint32_t not_looked_for = ~uint32_t{0};
    uint32_t count = 0;
    uint32_t wanted = 0;
    uint32_t outer = not_looked_for;
    for (;;) {
        if (count == wanted && count < likely) {
            wanted = next_joint(count);
            count = step_over_expected(at, expected, count, wanted, end, stack);
        }
        if (outer == not_looked_for) {
            outer = probable_joint(memo, at.sp, expected.depth - count);
        }
        while (outer != 0 && memo.frames[outer - 1].sp < at.sp) --outer;
        if (outer != 0 && is_at(memo.frames[outer - 1], {at.pc, at.sp, at.fp, false})) {
            const uint32_t mismatch = find_mismatch(memo, outer - 1);
            if (mismatch == no_mismatch) break;
            // Further in the memo is not right.
            --outer;
            while (outer != 0 && memo.frames[outer - 1].checks > mismatch) --outer;
        }
        if (count == wanted && count < likely) continue;
        stack.count = count;
        if (count == followed_frames_max) return false;
        wanted = 0;
        uint16_t number = known_rule(at.pc, generation);
        if (number == 0) [[unlikely]] number = learn_rule(at.pc).number;
        if (number == 0) return false;
        write_down(stack, count++, expected_word(at.pc, number), at);
        if (!step_over(at, step_rule_of(number), end)) return false;
    }
    stack.is_expected = count != 0 && count == wanted;
    stack.count = count;
    if (outer + count > depth) return false;
    ++counts.followed;
    counts.stepped += count;
    counts.verified += outer;
    stack.memo = &memo;
    stack.outer = outer;
    return true;
}

}  // namespace memtrace::preload
