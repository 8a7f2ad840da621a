// SPDX-License-Identifier: Apache-2.0
//
// The complete native stack of this thread, taken repeatedly, by means of the verified memo.
//
// A walk goes from frame to frame by the unwind rules. It also remembers every word of the stack
// that it read. A later walk may come to a remembered frame in the same state. If all words that
// were read from there outward still have the same values, the rest of the stack is unchanged,
// because unwinding is a calculation from these words alone. Comparing words is about ten times
// cheaper than walking.
//
// "The same state" is pc, rsp and, if a frame further out is found through it, rbp. Return
// addresses alone are not enough: docs/how/unwinding.md has the proof, and a program that fools a
// memo which compares less.
#pragma once

#include <cstdint>
#include <span>

#include "memtrace/dump/names.h"
#include "preload/unwind/full_step.h"
#include "preload/unwind/memo_checks.h"
#include "preload/unwind/rule_cache.h"
#include "preload/unwind/stack_reader.h"
#include "preload/unwind/thread_rule_cache.h"
#include "preload/unwind/unwind_rule.h"

namespace memtrace::preload {

// How a stack ends at its outer side.
enum class StackEnd : uint8_t {
    complete,  // at a function without a caller: _start, clone
    depth,     // at the depth limit
    no_data,   // in code without unwind data
    failed,    // where the unwind data made no sense
};

struct StackFrame {
    uint64_t pc = 0;       // the return address, or where a signal interrupted the frame
    uint64_t sp = 0;       // rsp at the call
    uint64_t fp = 0;       // rbp at the call; stale if no frame further out needs it
    uint64_t fp_slot = 0;  // where the caller's rbp was read; 0 if it was not
    UnwindRule rule;       // how the caller was found
    uint32_t checks = 0;   // number of words read from this frame outward
    NodeKind kind = NodeKind::native;
    bool fp_is_live = false;  // a frame from here outward is found through `fp`
};

// A stack as the last walk found it. Frames lie outermost first, so that the outer part, which
// mostly stays, keeps its place.
struct StackMemo {
    StackFrame* frames = nullptr;
    uint32_t* numbers = nullptr;  // for the caller of walk(): numbers[i] belongs to frames[i]
    uint32_t length = 0;
    uint32_t kept = 0;  // number of outermost frames that are those of the walk before
    StackEnd end = StackEnd::complete;

    // Used only inside stack_walker.cpp.
    struct Check {
        uint64_t address;
        uint64_t expected;
    };
    Check* checks = nullptr;  // in the order of `frames`
    uint64_t generation = 0;  // of the rules; 0 if the memo must not be used again
    bool is_on_own_stack = false;
};

// The state of one thread's walks. It has a few memos because programs with fibers change stacks.
class StackWalker {
public:
    static constexpr unsigned memos_max = 4;
    static constexpr unsigned own_memo = 0;  // of the thread's own stack

    // Walks from the function with the frame pointer `frame` (__builtin_frame_address(0)). Its
    // caller is the innermost frame. Returns at most `depth` frames, or nullptr if there is no
    // memory.
    StackMemo* walk(const void* frame, uint32_t depth);

    // Returns the index of the memo, below memos_max.
    unsigned place_of(const StackMemo& memo) const { return static_cast<unsigned>(&memo - memos_); }

    // The return addresses of the last walk that no walk of any thread had met before.
    std::span<const uint64_t> new_addresses() const { return {new_, new_count_}; }

    // Bytes of the thread rule cache. Other threads read it occasionally.
    uint64_t table_bytes() const {
        return __atomic_load_n(&depth_, __ATOMIC_RELAXED) == 0 ? 0 : ThreadRuleCache::bytes;
    }

    // Called when another thread takes over.
    void forget_thread();

    // Sets all numbers to 0.
    void forget_numbers();

    // Totals over all walks, for statistics and tests.
    struct Counts {
        uint64_t walks = 0;
        uint64_t stepped = 0;   // frames that were walked
        uint64_t verified = 0;  // frames that were compared and found unchanged
        uint64_t splices = 0;   // walks that ended in a remembered stack
        uint64_t mismatches = 0;
        uint64_t full_steps = 0;
        uint64_t guessed = 0;  // steps without unwind data
    };
    Counts counts;

private:
    // The way out of code without unwind data (way_out.h), as it was found last.
    struct KnownWayOut {
        uint64_t pc;
        UnwindRule rule;
    };
    static constexpr unsigned ways_out_max = 64;

    bool prepare(uint32_t depth);
    StackMemo* choose_memo(const StackReader& stack, uint64_t sp);

    // True if a walk that has come to `at` is in the same state as when it came to the frame.
    static bool is_at(const StackFrame& frame, const Position& at) {
        return (frame.sp == at.sp || !makes(UnwindCheck::sp)) &&
               (frame.pc == at.pc || !makes(UnwindCheck::pc)) && !at.is_exact &&
               (frame.fp == at.fp || !frame.fp_is_live || !makes(UnwindCheck::live_fp));
    }
    static uint32_t find_mismatch(const StackMemo& memo, uint32_t frame);
    static constexpr uint32_t no_mismatch = ~uint32_t{0};
    enum class Step { stepped, complete, no_data, failed };
    Step step(Position& at, UnwindRule rule, StackFrame& frame, StackReader& stack);
    Step step_otherwise(Position& at, StackFrame& frame, StackReader& stack);
    Step step_by_guess(Position& at, StackFrame& frame, StackReader& stack);
    bool take_way_out(const Position& at, StackReader& stack, Position& caller);
    UnwindRule way_out_at(const Position& at, StackReader& stack);
    static bool follow_frame_pointer(const Position& at, StackReader& stack, Position& caller);
    void begin_rules(uint64_t generation);
    UnwindRule rule_at(uint64_t pc, uint64_t generation);
    [[gnu::noinline]] UnwindRule learn_rule(uint64_t pc);
    UnwindRule take_frame(StackFrame& frame, const Position& at, uint64_t generation);
    StackFrame* take_over(const StackMemo& memo, uint32_t& top, uint32_t mismatch,
                          StackFrame* fresh, uint64_t& fp, uint32_t depth);
    void keep(StackMemo& memo, uint32_t kept, const StackFrame* fresh_end, uint32_t depth);
    static StackMemo::Check* complete(StackFrame& frame, const StackFrame& fresh,
                                      StackMemo::Check* check, const StackMemo& memo);
    static void append_first(StackMemo& memo, const StackFrame& frame, uint32_t depth);
    static StackMemo::Check* add_checks(StackMemo::Check* check, const StackFrame& frame,
                                        const StackFrame& caller);
    static void shorten(StackMemo& memo, uint32_t drop);

    StackBounds bounds_;
    StackMemo memos_[memos_max];  // the others are for fibers
    unsigned next_memo_ = 1;
    uint32_t depth_ = 0;  // depth that the memory allows; 0 if there is no memory yet
    ThreadRuleCache thread_rules_;
    uint64_t known_generation_ = 0;
    StackFrame* fresh_ = nullptr;  // frames of this walk, innermost first
    uint64_t* new_ = nullptr;
    uint32_t new_count_ = 0;
    TableScratch* scratch_ = nullptr;
    KnownWayOut* ways_out_ = nullptr;  // by address
};

}  // namespace memtrace::preload
