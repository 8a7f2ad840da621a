// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/thread_registers.h"

#include <unistd.h>

#include <algorithm>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::LostThreadLook;
using State = PointerSearch::State;

TEST_CASE("a thread that slept all the time has fewer words in registers than others") {
    const std::vector<LostThreadLook> before{{1, 0, 10}, {2, 1, 10}, {3, 1, 10}, {4, 0, 10}};
    const std::vector<LostThreadLook> now{
        {1, 0, 10}, {2, 1, 10}, {3, 1, 11}, {4, 1, 10}, {5, 1, 1}};
    // One is not counted, one has slept, and of three nobody knows it.
    CHECK(words_in_registers(before, now, 1, 4) == 6 + 3 * 47);
    CHECK(words_in_registers(before, {{1, 0, 10}, {2, 1, 10}}, 1, 1) == 6);
    CHECK(words_in_registers(before, {{1, 0, 10}, {2, 1, 10}}, 1, 2) == 6 + 47);
    CHECK(words_in_registers({}, {}, 1, 0) == 0);
    CHECK(have_all_waited(before, {{1, 0, 10}, {2, 1, 10}}, 1, 1));
    CHECK_FALSE(have_all_waited(before, {{1, 0, 10}, {2, 1, 10}}, 1, 2));
    CHECK_FALSE(have_all_waited(before, now, 1, 4));
}

TEST_CASE("threads of a process are seen, and that this one runs") {
    const auto looks = look_at_threads(static_cast<uint64_t>(getpid()), 100);
    const auto own = std::find_if(looks.begin(), looks.end(), [](const LostThreadLook& look) {
        return look.thread == static_cast<uint64_t>(gettid());
    });
    REQUIRE(own != looks.end());
    CHECK(own->is_asleep == 0);
    CHECK(look_at_threads(0x7ffffff0, 100).empty());
}

TEST_CASE("blocks may be in registers if there are few of one call stack, and few of all") {
    std::vector<State> states(7, State::definitely);
    states.push_back(State::indirectly);
    const auto stack_of = [](uint32_t block) { return block; };
    CHECK(doubtful(states, 0, stack_of).blocks.empty());
    CHECK(doubtful(states, 7, stack_of).blocks.size() == 7);
    CHECK(doubtful(states, 7, stack_of).lost_of_them == 0);
    CHECK(doubtful(states, 6, stack_of).blocks.size() == 7);
    CHECK(doubtful(states, 6, stack_of).lost_of_them == 1);
    CHECK(doubtful(states, 6, [](uint32_t) { return 0u; }).blocks.empty());
}

TEST_CASE("of very many blocks only so many are doubted as there are words") {
    const std::vector<State> states(100, State::definitely);
    // The first has a call stack of its own, and the others are pairs.
    const auto doubt = doubtful(states, 3, [](uint32_t block) { return (block + 1) / 2; });
    CHECK(doubt.blocks == std::vector<uint32_t>{0, 99, 1});
    CHECK(doubt.lost_of_them == 0);
}
