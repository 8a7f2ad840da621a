// SPDX-License-Identifier: Apache-2.0
//
// Stories of what a caller of follow() sees. Whether every stack is right is shown by tests/unwind.
#include <memory>
#include <vector>

#include "preload/rule_table.h"
#include "preload/stack_walk.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

__attribute__((noipa)) uint32_t walk(StackWalker& walker) {
    const StackMemo* const memo = walker.walk(__builtin_frame_address(0), 256);
    return memo == nullptr ? 0 : memo->length;
}

// How many frames the stack has.
__attribute__((noipa)) uint32_t walk_from(unsigned times, StackWalker& walker) {
    const uint32_t frames = times == 0 ? walk(walker) : walk_from(times - 1, walker);
    asm volatile("");  // The call is not the last thing: the frame stays.
    return frames;
}

// A walker is some hundred bytes with pointers to its memory, which it keeps for good.
std::unique_ptr<StackWalker> make_walker() { return std::make_unique<StackWalker>(); }

struct Followed {
    bool is_followed = false;
    std::vector<uint64_t> pcs;  // innermost first
};

__attribute__((noipa)) Followed follow(StackWalker& walker, const Expectation& expected,
                                       uint32_t depth) {
    FollowedStack stack;
    Followed found;
    const void* const frame = __builtin_frame_address(0);
    found.is_followed = walker.repeats(frame, depth, stack) ||
                        walker.follow(frame, depth, expected, stack);
    if (!found.is_followed) return found;
    for (uint32_t i = 0; i < stack.count; ++i) {
        found.pcs.push_back(stack.words[i] & Expectation::address_mask);
    }
    for (uint32_t i = stack.outer; i-- > 0;) found.pcs.push_back(stack.memo->frames[i].pc);
    return found;
}

__attribute__((noipa)) Followed follow_from(unsigned times, StackWalker& walker,
                                            const Expectation& expected = {},
                                            uint32_t depth = 256) {
    Followed found = times == 0 ? follow(walker, expected, depth)
                                : follow_from(times - 1, walker, expected, depth);
    asm volatile("");  // The call is not the last thing: the frame stays.
    return found;
}

// All that a memo knows of its frames and of the words to compare.
std::vector<uint64_t> contents(const StackMemo& memo) {
    std::vector<uint64_t> all{static_cast<uint64_t>(memo.end), memo.is_on_own_stack};
    for (uint32_t i = 0; i < memo.length; ++i) {
        const StackFrame& frame = memo.frames[i];
        all.insert(all.end(), {frame.pc, frame.sp, frame.fp_slot, word_of(frame.rule), frame.checks,
                               frame.rule_number, static_cast<uint64_t>(frame.kind),
                               frame.fp_is_live, frame.fp_is_live ? frame.fp : 0});
    }
    for (uint32_t i = 0; i < memo.frames[memo.length - 1].checks; ++i) {
        all.insert(all.end(), {memo.checks[i].address, memo.checks[i].expected});
    }
    return all;
}

struct Memos {
    std::vector<uint64_t> remembered;
    std::vector<uint64_t> of_walk;
};

__attribute__((noipa)) Memos remember(StackWalker& walker, StackWalker& fresh) {
    FollowedStack stack;
    const void* const frame = __builtin_frame_address(0);
    REQUIRE(walker.follow(frame, 256, {}, stack));
    const StackMemo* const memo = walker.remember(stack);
    CHECK(memo->kept == stack.outer);
    return {contents(*memo), contents(*fresh.walk(frame, 256))};
}

__attribute__((noipa)) Memos remember_from(unsigned times, StackWalker& walker,
                                           StackWalker& fresh) {
    Memos memos = times == 0 ? remember(walker, fresh) : remember_from(times - 1, walker, fresh);
    asm volatile("");
    return memos;
}

}  // namespace

TEST_CASE("a walker that remembers nothing cannot follow", "[stack_follow]") {
    const auto walker = make_walker();
    CHECK_FALSE(follow_from(1, *walker).is_followed);
}

TEST_CASE("a followed stack is as long as the one that a walk finds, and leaves the memo alone",
          "[stack_follow]") {
    const auto walker = make_walker();
    const auto fresh = make_walker();
    walk_from(2, *walker);
    for (unsigned times = 0; times < 4; ++times) {
        std::vector<Followed> found;
        for (int turn = 0; turn < 3; ++turn) found.push_back(follow_from(times, *walker));
        REQUIRE(found[0].is_followed);
        CHECK(found[0].pcs.size() == walk_from(times, *fresh));
        CHECK(found[1].pcs == found[0].pcs);
        CHECK(found[2].pcs == found[0].pcs);
    }
    CHECK(walker->counts.followed == 12);
    CHECK(walker->counts.walks == 1);
}

TEST_CASE("what is expected is found whether it comes true or not", "[stack_follow]") {
    const auto walker = make_walker();
    walk_from(2, *walker);
    uint64_t words[expected_frames_max] = {};
    Expectation expected;
    std::vector<Followed> found;
    for (int turn = 0; turn < 4; ++turn) {
        if (turn == 1) {
            REQUIRE(found[0].is_followed);
            for (uint32_t i = 0; i < 2; ++i) {
                TableScratch scratch;
                const auto rule = find_numbered_rule(found[0].pcs[i], scratch);
                words[i] = expected_word(found[0].pcs[i], rule.number);
            }
            expected = {words, nullptr, 2, unwind_generation()};
        }
        if (turn == 2) words[1] += 1;
        if (turn == 3) expected.generation -= 1;
        found.push_back(follow_from(3, *walker, expected));
        CHECK(found.back().pcs == found[0].pcs);
    }
}

TEST_CASE("however deep the stack is said to be, it is found", "[stack_follow]") {
    const auto walker = make_walker();
    const auto fresh = make_walker();
    walk_from(2, *walker);
    for (const unsigned times : {0u, 3u}) {
        const uint32_t length = walk_from(times, *fresh);
        for (uint32_t depth = 0; depth <= Expectation::depth_mask; ++depth) {
            Expectation expected;
            expected.depth = depth;
            const Followed found = follow_from(times, *walker, expected);
            REQUIRE(found.is_followed);
            CHECK(found.pcs.size() == length);
        }
    }
}

TEST_CASE("a stack that goes far beyond the memo, or below the limit, is not followed",
          "[stack_follow]") {
    const auto walker = make_walker();
    const uint32_t length = walk_from(1, *walker);
    CHECK(follow_from(followed_frames_max - 2, *walker).is_followed);
    CHECK_FALSE(follow_from(followed_frames_max + 2, *walker).is_followed);
    CHECK(follow_from(1, *walker, {}, length).is_followed);
    CHECK_FALSE(follow_from(1, *walker, {}, length - 1).is_followed);
}

TEST_CASE("a followed stack that is remembered is what a walk would have left", "[stack_follow]") {
    for (const unsigned times : {1u, 3u, 20u}) {
        const auto walker = make_walker();
        const auto fresh = make_walker();
        walk_from(2, *walker);
        for (int turn = 0; turn < 2; ++turn) {
            const Memos memos = remember_from(times, *walker, *fresh);
            CHECK(memos.of_walk.size() > times);
            CHECK(memos.remembered == memos.of_walk);
        }
        CHECK(walker->counts.walks == 1);
    }
}

TEST_CASE("nothing is followed while code is being unloaded, or after that", "[stack_follow]") {
    const auto walker = make_walker();
    walk_from(2, *walker);
    REQUIRE(follow_from(2, *walker).is_followed);
    begin_unload();
    CHECK_FALSE(follow_from(2, *walker).is_followed);
    end_unload();
    CHECK_FALSE(follow_from(2, *walker).is_followed);
    walk_from(2, *walker);
    CHECK(follow_from(2, *walker).is_followed);
}
