// SPDX-License-Identifier: Apache-2.0
//
// The native stack of this thread, whole, again and again: the verified memo.
//
// A walk goes from frame to frame by the unwind tables' rules. It also remembers every word of the
// stack that it read. When a later walk comes to a frame that it remembers, in the same state, and
// all words that were read from there outward still hold the same values, then the rest of the
// stack is what it was: unwinding is a calculation from these words and nothing else. Comparing
// words is some ten times cheaper than walking.
//
// "The same state" is pc, rsp and, where a frame further out is found through it, rbp. Return
// addresses alone would not do: docs/unwinding.md has the proof, and the program that fools a memo
// which compares less.
#pragma once

#include <cstdint>

#include "memtrace/names.h"
#include "preload/known_rules.h"
#include "preload/stack_reader.h"
#include "preload/rule_table.h"
#include "preload/step_rule.h"
#include "preload/unwind_checks.h"
#include "preload/wide_step.h"

namespace memtrace::preload {

// How a stack ends at its outer side.
enum class StackEnd : uint8_t {
    complete,  // at a function that nobody called: _start, clone
    depth,     // at the depth limit
    no_data,   // in code without unwind data
    failed,    // where the unwind data made no sense
};

struct StackFrame {
    uint64_t pc = 0;        // the return address, or where a signal interrupted the frame
    uint64_t sp = 0;        // rsp at the call
    uint64_t fp = 0;        // rbp at the call; stale where no frame further out needs it
    uint64_t fp_slot = 0;   // where the caller's rbp was read; 0: it was not
    StepRule rule;          // how the caller was found
    uint32_t checks = 0;    // how many words had to be read from this frame outward
    uint16_t rule_number = 0;
    NodeKind kind = NodeKind::native;
    bool     fp_is_live = false;  // whether a frame from here outward is found through `fp`
};

// The frames that a walk will probably meet first, innermost first, each with the number of its
// rule: address:48 rule:16. Where a frame is as expected, the rule table is not asked. They lie in
// two pieces, as chains.h keeps them.
inline constexpr uint32_t expected_frames_near = 4;
inline constexpr uint32_t expected_frames_max = 9;

// The most frames between a followed stack's inner end and the one that it is near to.
inline constexpr uint32_t followed_frames_max = 48;

struct Expectation {
    static constexpr uint64_t address_mask = 0xffffffffffffu;

    const uint64_t* near = nullptr;  // the first expected_frames_near
    const uint64_t* far = nullptr;   // and those after them
    uint32_t count = 0;              // of both
    uint64_t generation = 0;         // of the rules, read before the frames were looked at
    // The last bits of how many frames the whole stack had. Only a hint.
    static constexpr unsigned depth_bits = 5;
    static constexpr uint32_t depth_mask = (1u << depth_bits) - 1;
    uint32_t depth = 0;

    uint32_t next = 0;               // the place of the one that the next frame should be

    uint64_t word(uint32_t i) const {
        return i < expected_frames_near ? near[i] : far[i - expected_frames_near];
    }

    // Of the next frame; 0: nothing is expected. Python's frames lie between them, without a rule.
    uint64_t take() {
        while (next < count) {
            if (const uint64_t expected = word(next++); expected >> 48 != 0) return expected;
        }
        return 0;
    }
};

inline uint64_t expected_word(uint64_t pc, uint16_t rule_number) {
    return (pc & Expectation::address_mask) | static_cast<uint64_t>(rule_number) << 48;
}
inline uint64_t expected_word(const StackFrame& frame) {
    return expected_word(frame.pc, frame.rule_number);
}

// A stack as the last walk found it. The frames lie outermost first, so that the outer part, which
// mostly stays, keeps its place.
struct StackMemo {
    StackFrame* frames = nullptr;
    uint32_t*   numbers = nullptr;  // for the caller of walk(): numbers[i] belongs to frames[i]
    uint32_t    length = 0;
    uint32_t    kept = 0;          // so many outermost frames are those of the walk before
    StackEnd    end = StackEnd::complete;

    // Inside of stack_walk.cpp.
    struct Check {
        uint64_t address;
        uint64_t expected;
    };
    Check*   checks = nullptr;     // in the order of `frames`
    uint64_t generation = 0;       // of the rules; 0: not to be used again
    bool     is_on_own_stack = false;
};

// A stack as follow() finds it: outermost frames of a memo, and some inside of these.
struct FollowedStack {
    StackMemo* memo;
    uint32_t   outer;        // so many frames of the memo
    uint32_t   count;        // of the frames inside of them
    bool       is_expected;  // these are the expected ones, up to a chain's end
    uint64_t   words[followed_frames_max];  // innermost first, as in an Expectation
    uint64_t   sps[followed_frames_max];    // rsp at the call, of each
    uint64_t   fps[followed_frames_max];    // and rbp

    // Whether the frames are few enough for one chain.
    bool is_near() const { return count <= expected_frames_max; }

    // What was found before follow() gave up, for the walk that comes after it.
    Expectation found(uint64_t generation) const {
        return {words, words + expected_frames_near, count, generation};
    }
};

// What one thread's walks need. A few memos, because programs with fibers change stacks.
class StackWalker {
public:
    static constexpr unsigned memos_max = 4;
    static constexpr unsigned own_memo = 0;  // of the thread's own stack: what can be followed

    // Walks from the function that has the frame pointer `frame` (__builtin_frame_address(0)): its
    // caller is the innermost frame. At most `depth` frames. nullptr: there is no memory.
    StackMemo* walk(const void* frame, uint32_t depth, Expectation expected = {});

    // Whether the stack is the very one that walk() found last on the thread's own stack: then all
    // of its frames are the memo's.
    bool repeats(const void* frame, uint32_t depth, FollowedStack& stack) {
        // Mostly its innermost frame already says no.
        const StackMemo& memo = memos_[own_memo];
        return memo.length != 0 && is_at(memo.frames[memo.length - 1], position_of(frame)) &&
               repeats_from_top(frame, depth, stack);
    }

    // As walk(), of a stack that leaves the last one that walk() found near its inner end: steps
    // over the frames that are others, and compares the rest. Writes nothing down, so that what
    // walk() remembers stays as it is. False: it is not such a stack, and all that is known of it
    // is stack.found().
    bool follow(const void* frame, uint32_t depth, const Expectation& expected,
                FollowedStack& stack);

    // Writes a stack down that was just followed: its memo becomes what walk() would have made of
    // it.
    StackMemo* remember(const FollowedStack& stack);

    // Which of the memos it is, below memos_max.
    unsigned place_of(const StackMemo& memo) const {
        return static_cast<unsigned>(&memo - memos_);
    }

    // Another thread takes over.
    void forget_thread();

    // Sets all numbers to 0.
    void forget_numbers();

    // For statistics and tests: what all walks together did.
    struct Counts {
        uint64_t walks = 0;     // by walk()
        uint64_t followed = 0;  // stacks that needed none
        uint64_t stepped = 0;   // frames that were walked
        uint64_t verified = 0;  // frames that were compared and found unchanged
        uint64_t rejoined = 0;  // walks that ended in a remembered stack
        uint64_t mismatches = 0;
        uint64_t wide = 0;      // steps with all registers
        uint64_t guessed = 0;   // steps through rbp, without unwind data

        uint64_t stacks() const { return walks + followed; }
    };
    Counts counts;

private:
    bool prepare(uint32_t depth);
    StackMemo* choose_memo(const StackReader& stack, uint64_t sp);

    // Whether a walk that has come to `at` is where it was when it came to the frame.
    static bool is_at(const StackFrame& frame, const Position& at) {
        return (frame.sp == at.sp || !makes(UnwindCheck::sp)) &&
               (frame.pc == at.pc || !makes(UnwindCheck::pc)) && !at.is_exact &&
               (frame.fp == at.fp || !frame.fp_is_live || !makes(UnwindCheck::live_fp));
    }
    static Position position_of(const void* frame) {
        const auto* call = static_cast<const uint64_t*>(frame);
        return {call[1], reinterpret_cast<uint64_t>(call + 2), call[0], false};
    }
    bool repeats_from_top(const void* frame, uint32_t depth, FollowedStack& stack);
    static uint32_t frames_from(const StackMemo& memo, uint64_t sp);
    static uint32_t probable_joint(const StackMemo& memo, uint64_t sp, uint32_t outer);
    static uint32_t find_mismatch(const StackMemo& memo, uint32_t frame);
    static constexpr uint32_t no_mismatch = ~uint32_t{0};
    static bool can_follow(const StackMemo& memo, uint64_t unloads);
    enum class Step { stepped, complete, no_data, failed };
    Step step(Position& at, StackFrame& frame, StackReader& stack);
    Step step_otherwise(Position& at, StackFrame& frame, StackReader& stack);
    Step step_by_guess(Position& at, StackFrame& frame, StackReader& stack);
    bool take_over(const StackMemo& memo, uint32_t& top, uint32_t mismatch, Position& at,
                   uint32_t depth, Expectation& expected);
    // The number of a return address's rule, if this thread met it before and there was no unload
    // since; else 0.
    uint16_t known_rule(uint64_t pc, uint64_t generation) {
        if (generation != known_generation_ && makes(UnwindCheck::generation)) [[unlikely]] {
            known_rules_.clear();
            known_generation_ = generation;
        }
        return generation == 0 ? uint16_t{0} : known_rules_.find(pc);
    }
    [[gnu::noinline]] NumberedRule learn_rule(uint64_t pc);
    void take_frame(const Position& at, Expectation& expected);
    void keep(StackMemo& memo, uint32_t kept, uint32_t depth);
    static StackMemo::Check* complete(StackFrame& frame, StackMemo::Check* check,
                                      const StackMemo& memo);
    static void append_first(StackMemo& memo, const StackFrame& frame);
    static StackMemo::Check* add_checks(StackMemo::Check* check, const StackFrame& frame,
                                        const StackFrame& caller);
    static void shorten(StackMemo& memo, uint32_t drop);

    StackBounds  bounds_;
    StackMemo    memos_[memos_max];  // the others are of fibers
    unsigned     next_memo_ = 1;
    uint32_t     depth_ = 0;         // what the memory is for
    KnownRules   known_rules_;
    uint64_t     known_generation_ = 0;
    StackFrame*  fresh_ = nullptr;   // frames of this walk, innermost first
    uint32_t     fresh_count_ = 0;
    TableScratch* scratch_ = nullptr;
};

}  // namespace memtrace::preload
