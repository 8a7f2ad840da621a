// SPDX-License-Identifier: Apache-2.0
//
// What a caller of find() sees. tests/unwind checks that every stack is right.
#include "preload/unwind/stack_cache.h"

#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "preload/unwind/unwind_generation.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

struct Thread {
    StackWalker walker;
    StackCache stack_cache;
    uint32_t python_entry = 0;  // the Python part of stacks
};

// Makes a thread that already has memory for its cached stacks. Walkers keep their memory forever.
std::unique_ptr<Thread> make_thread() {
    auto thread = std::make_unique<Thread>();
    while (!thread->stack_cache.arena().is_there()) thread->stack_cache.is_wanted(99'999);
    return thread;
}

// Does what the shim does at a hook, with `id` as the stack's id. Returns true if a cached stack
// matched; its id must then be the id that was given before.
__attribute__((noipa)) bool meet(Thread& thread, uint32_t id) {
    const void* const frame = __builtin_frame_address(0);
    const CachedStack* const known = thread.stack_cache.find(
        frame, [&thread](uint32_t python_entry) { return python_entry == thread.python_entry; });
    if (known != nullptr) {
        CHECK(known->id == id);
        return true;
    }
    const StackMemo* const memo = thread.walker.walk(frame, 1024);
    REQUIRE(memo != nullptr);
    if (thread.stack_cache.is_wanted(id)) {
        thread.stack_cache.add(id, frame, *memo, thread.python_entry);
    } else {
        thread.stack_cache.go_on_from(id, frame);
    }
    return false;
}

// The same from `calls` calls deeper.
__attribute__((noipa)) bool meet_below(unsigned calls, Thread& thread, uint32_t id) {
    const bool known = calls == 0 ? meet(thread, id) : meet_below(calls - 1, thread, id);
    asm volatile("");  // The call is not the last statement, so the frame stays.
    return known;
}

// Meets one stack repeatedly, and returns the times at which it was found. It must be one call from
// one place, because two lines of a test are two stacks. `before` receives the number of times so
// far.
template <class Before>
std::vector<int> times_known(int times, Thread& thread, Before&& before) {
    std::vector<int> known;
    for (int time = 0; time < times; ++time) {
        before(time);
        if (meet_below(2, thread, 1)) known.push_back(time);
    }
    return known;
}

std::vector<int> from_to(int begin, int end) {
    std::vector<int> all(static_cast<size_t>(end - begin));
    std::iota(all.begin(), all.end(), begin);
    return all;
}

// Returns how many of the stacks that lie 0 … `count` - 1 calls deeper are found.
__attribute__((noipa)) unsigned count_known(unsigned count, Thread& thread, uint32_t first_id) {
    unsigned known = 0;
    for (unsigned i = 0; i < count; ++i) known += meet_below(i, thread, first_id + i);
    return known;
}

// Meets stacks that differ only in their Python part, and returns how many of them are found.
__attribute__((noipa)) unsigned count_known_parts(uint32_t first, uint32_t end, Thread& thread) {
    unsigned known = 0;
    for (uint32_t i = first; i < end; ++i) {
        thread.python_entry = i;
        known += meet_below(2, thread, 1 + i);
    }
    return known;
}

}  // namespace

TEST_CASE("a stack has a cached stack from the second time on", "[stack_cache]") {
    const auto thread = make_thread();
    CHECK(times_known(6, *thread, [](int) {}) == from_to(2, 6));
}

TEST_CASE("a thread that finds few stacks takes no memory for them", "[stack_cache]") {
    StackCache stack_cache;
    for (int i = 0; i < 20; ++i) CHECK_FALSE(stack_cache.is_wanted(1));
    CHECK(stack_cache.arena().bytes() == 0);
}

TEST_CASE("stacks are known in whatever order they come", "[stack_cache]") {
    const auto thread = make_thread();
    std::mt19937 random(1);
    unsigned known = 0;
    for (int i = 0; i < 1000; ++i) {
        const unsigned calls = random() % 20;
        known += meet_below(calls, *thread, 1 + calls);
    }
    CHECK(known > 1000 - 20 * 4);
}

TEST_CASE("two callers with the same stack beneath them are told apart", "[stack_cache]") {
    const auto thread = make_thread();
    for (int round = 0; round < 4; ++round) {
        const bool first = meet_below(2, *thread, 1);
        const bool second = meet_below(2, *thread, 2);
        CHECK(first == (round >= 2));
        CHECK(second == (round >= 2));
    }
}

TEST_CASE("what a stack depends on beside its words is asked for", "[stack_cache]") {
    const auto thread = make_thread();
    for (int round = 0; round < 4; ++round) {
        for (const uint32_t python_entry : {0u, 1u, 2u}) {
            thread->python_entry = python_entry;
            CHECK(meet_below(2, *thread, 1 + python_entry) == (round >= 2));
        }
    }
}

TEST_CASE("nothing is known while code is being unloaded, nor by older rules", "[stack_cache]") {
    const auto thread = make_thread();
    const auto known = times_known(20, *thread, [](int time) {
        if (time == 5) begin_unload();
        if (time == 10) end_unload();
    });
    std::vector<int> expected = from_to(2, 5);
    for (const int time : from_to(12, 20)) expected.push_back(time);
    CHECK(known == expected);
}

TEST_CASE("what is cleared is forgotten, and can be learned again", "[stack_cache]") {
    const auto thread = make_thread();
    const auto known = times_known(200, *thread, [&thread](int time) {
        if (time == 5) thread->stack_cache.clear();
    });
    CHECK(std::vector<int>(known.begin(), known.begin() + 3) == from_to(2, 5));
    REQUIRE(known.size() > 3);
    CHECK(known[3] > 6);
    CHECK(std::vector<int>(known.begin() + 3, known.end()) == from_to(known[3], 200));
}

TEST_CASE("a walk that is not to be remembered leaves no cached stack", "[stack_cache]") {
    const auto thread = make_thread();
    StackMemo made;
    StackFrame frame;
    made.frames = &frame;
    made.length = 1;
    made.generation = unwind_generation();
    made.is_on_own_stack = true;
    const uint64_t words[2] = {};
    frame.sp = reinterpret_cast<uint64_t>(words);
    CHECK(thread->stack_cache.add(1, words, made, 0));
    made.is_on_own_stack = false;  // of a fiber
    CHECK_FALSE(thread->stack_cache.add(1, words, made, 0));
    made.is_on_own_stack = true;
    made.end = StackEnd::no_data;
    CHECK_FALSE(thread->stack_cache.add(1, words, made, 0));
    made.end = StackEnd::complete;
    made.generation = 0;
    CHECK_FALSE(thread->stack_cache.add(1, words, made, 0));
}

TEST_CASE("where stacks are always new it rests, and finds out when that is over",
          "[stack_cache]") {
    const auto thread = make_thread();
    for (uint32_t id = 1000; id < 1300; ++id) CHECK_FALSE(thread->stack_cache.is_wanted(id));
    constexpr int times = 20'000;
    const auto known = times_known(times, *thread, [](int) {});
    REQUIRE(!known.empty());
    CHECK(known[0] > 60);
    CHECK(known == from_to(known[0], times));
}

TEST_CASE("a loop of more stacks than there is room for gets more room", "[stack_cache]") {
    const auto thread = make_thread();
    constexpr unsigned depth = 200;
    constexpr unsigned variants = 25;
    unsigned known = 0;
    for (int round = 0; round < 100 && known < depth * variants * 95 / 100; ++round) {
        known = 0;
        for (uint32_t variant = 0; variant < variants; ++variant) {
            thread->python_entry = variant;
            known += count_known(depth, *thread, 1 + variant * depth);
        }
    }
    CHECK(known >= depth * variants * 95 / 100);
    CHECK(thread->stack_cache.arena().bytes() > BumpArena::units_min * BumpArena::unit_bytes);
}

TEST_CASE("after a stack out of its order, those that follow are known", "[stack_cache]") {
    const auto thread = make_thread();
    thread->stack_cache.never_pause();
    constexpr uint32_t parts = 200;  // more than are looked through
    unsigned known = 0;
    for (const uint32_t first : {0u, 0u, 0u, 0u, parts / 2, parts / 4}) {
        const unsigned now = count_known_parts(first, parts, *thread);
        known = now + 1 >= parts - first ? known + 1 : 0;
    }
    CHECK(known >= 3);
}

TEST_CASE("a rest ends when stacks come again", "[stack_cache]") {
    const auto thread = make_thread();
    constexpr uint32_t parts = 900;  // It rests before it has met them all once.
    unsigned known = 0;
    for (int round = 0; round < 5; ++round) known = count_known_parts(0, parts, *thread);
    CHECK(known > parts * 95 / 100);
}

TEST_CASE("the levels of a deep recursion are known, and share their words", "[stack_cache]") {
    const auto thread = make_thread();
    constexpr unsigned depth = 600;
    unsigned known = 0;
    for (int round = 0; round < 20 && known < depth * 95 / 100; ++round) {
        known = count_known(depth, *thread, 1);
    }
    CHECK(known >= depth * 95 / 100);
}
