// SPDX-License-Identifier: Apache-2.0
//
// Stories of what a caller of find() sees. Whether every stack is right is shown by tests/unwind.
#include "preload/transcripts.h"

#include <memory>

#include "preload/rule_table.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

struct Thread {
    StackWalker walker;
    Transcripts transcripts;
    uint32_t    rest = 0;  // what stacks depend on beside their words
};

// They keep their memory for good.
std::unique_ptr<Thread> make_thread() { return std::make_unique<Thread>(); }

// What the shim does at a hook, with `id` in the place of the one that naming would give. Whether
// a transcript knew the stack; if one did, the id must be the one that was given before.
__attribute__((noipa)) bool meet(Thread& thread, uint32_t id) {
    const void* const frame = __builtin_frame_address(0);
    const Transcript* const known = thread.transcripts.find(
        frame, [&thread](uint32_t rest) { return rest == thread.rest; });
    if (known != nullptr) {
        CHECK(known->id == id);
        return true;
    }
    const StackMemo* const memo = thread.walker.walk(frame, 1024);
    REQUIRE(memo != nullptr);
    if (thread.transcripts.is_wanted_now(id)) {
        thread.transcripts.add(id, frame, *memo, thread.rest);
    }
    return false;
}

// From so much deeper.
__attribute__((noipa)) bool meet_below(unsigned calls, Thread& thread, uint32_t id) {
    const bool known = calls == 0 ? meet(thread, id) : meet_below(calls - 1, thread, id);
    asm volatile("");  // The call is not the last thing: the frame stays.
    return known;
}

// How many of the stacks that lie 0 … `count` - 1 calls deeper are known.
__attribute__((noipa)) unsigned count_known(unsigned count, Thread& thread, uint32_t first_id) {
    unsigned known = 0;
    for (unsigned i = 0; i < count; ++i) known += meet_below(i, thread, first_id + i);
    return known;
}

}  // namespace

TEST_CASE("a stack has a transcript from the second time on", "[transcripts]") {
    const auto thread = make_thread();
    for (int time = 0; time < 6; ++time) CHECK(meet_below(3, *thread, 1) == (time >= 2));
}

TEST_CASE("stacks that come in turn are all known, in whatever order", "[transcripts]") {
    const auto thread = make_thread();
    for (int round = 0; round < 4; ++round) {
        CHECK(count_known(20, *thread, 1) == (round < 2 ? 0 : 20));
    }
    for (const unsigned calls : {7u, 3u, 19u, 7u, 0u, 7u, 3u, 3u}) {
        CHECK(meet_below(calls, *thread, 1 + calls) == false);  // It is called from elsewhere.
    }
    for (int round = 0; round < 2; ++round) {
        for (const unsigned calls : {7u, 3u, 19u, 7u, 0u, 7u, 3u, 3u}) {
            if (round == 1) CHECK(meet_below(calls, *thread, 101 + calls));
            else for (int i = 0; i < 2; ++i) meet_below(calls, *thread, 101 + calls);
        }
    }
}

TEST_CASE("two callers with the same stack beneath them are told apart", "[transcripts]") {
    const auto thread = make_thread();
    for (int round = 0; round < 4; ++round) {
        const bool first = meet_below(2, *thread, 1);
        const bool second = meet_below(2, *thread, 2);
        CHECK(first == (round >= 2));
        CHECK(second == (round >= 2));
    }
}

TEST_CASE("what a stack depends on beside its words is asked for", "[transcripts]") {
    const auto thread = make_thread();
    for (int round = 0; round < 4; ++round) {
        for (const uint32_t rest : {0u, 1u, 2u}) {
            thread->rest = rest;
            CHECK(meet_below(2, *thread, 1 + rest) == (round >= 2));
        }
    }
}

TEST_CASE("nothing is known while code is being unloaded, nor by older rules", "[transcripts]") {
    const auto thread = make_thread();
    const auto meet_again = [&thread] { return meet_below(2, *thread, 1); };
    for (int i = 0; i < 2; ++i) CHECK_FALSE(meet_again());
    REQUIRE(meet_again());
    begin_unload();
    for (int i = 0; i < 3; ++i) CHECK_FALSE(meet_again());
    end_unload();
    CHECK_FALSE(meet_again());
    while (!meet_again()) continue;
    CHECK(meet_again());
}

TEST_CASE("what is cleared is forgotten, and can be learned again", "[transcripts]") {
    const auto thread = make_thread();
    count_known(20, *thread, 1);
    count_known(20, *thread, 1);
    REQUIRE(count_known(20, *thread, 1) == 0);  // Each line calls from a place of its own.
    for (int i = 0; i < 3; ++i) {
        const unsigned known = count_known(20, *thread, 1);
        CHECK(known == (i == 2 ? 20 : 0));
    }
    thread->transcripts.clear();
    CHECK(count_known(20, *thread, 1) == 0);
}

TEST_CASE("a walk that is not to be remembered leaves no transcript", "[transcripts]") {
    const auto thread = make_thread();
    StackMemo made;
    StackFrame frame;
    made.frames = &frame;
    made.length = 1;
    made.generation = unwind_generation();
    made.is_on_own_stack = true;
    const uint64_t words[2] = {};
    REQUIRE_FALSE(thread->transcripts.is_wanted_now(1));
    frame.sp = reinterpret_cast<uint64_t>(words);
    CHECK(thread->transcripts.add(1, words, made, 0));
    made.is_on_own_stack = false;  // of a fiber
    CHECK_FALSE(thread->transcripts.add(1, words, made, 0));
    made.is_on_own_stack = true;
    made.end = StackEnd::no_data;
    CHECK_FALSE(thread->transcripts.add(1, words, made, 0));
    made.end = StackEnd::complete;
    made.generation = 0;
    CHECK_FALSE(thread->transcripts.add(1, words, made, 0));
}

TEST_CASE("where stacks are always new, it rests, and finds out when that is over",
          "[transcripts]") {
    const auto thread = make_thread();
    uint32_t id = 1000;
    for (int i = 0; i < 5000; ++i) CHECK_FALSE(thread->transcripts.is_wanted_now(id++));
    // Now it is always the same one.
    int times = 0;
    while (!meet_below(2, *thread, 1)) REQUIRE(++times < 20'000);
    CHECK(times > 2);
    for (int i = 0; i < 100; ++i) CHECK(meet_below(2, *thread, 1) == (i >= 2));
}

TEST_CASE("a loop of more stacks than there is room for gets more room", "[transcripts]") {
    const auto thread = make_thread();
    // The deeper ones have up to 200 words of their own.
    constexpr unsigned depth = 100;
    constexpr unsigned sites = 40;
    const auto round = [&thread] {
        unsigned known = 0;
        for (uint32_t site = 0; site < sites; ++site) {
            thread->rest = site;
            known += count_known(depth, *thread, 1 + site * depth);
        }
        return known;
    };
    const uint64_t small = PlaceArena::units_min * PlaceArena::unit_bytes;
    unsigned rounds = 0;
    while (round() < depth * sites * 99 / 100) REQUIRE(++rounds < 60);
    CHECK(thread->transcripts.arena().bytes() > small);
}
