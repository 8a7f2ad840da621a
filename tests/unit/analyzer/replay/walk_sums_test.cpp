// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/walk_sums.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

TEST_CASE("the walks of all lanes are added up, count by count") {
    Walks first, second;
    first.walked = 10;
    first.recognised = 3;
    second.walked = 5;
    second.guessed = 1;
    const Walks sum = sum_of(std::map<uint64_t, Walks>{{0, first}, {7, second}});
    CHECK(sum.walked == 15);
    CHECK(sum.recognised == 3);
    CHECK(sum.guessed == 1);
    CHECK(sum.verified == 0);
}

TEST_CASE("so are those of Python's stacks") {
    PythonWalks first, second;
    first.stacks = 4;
    first.frames = 40;
    second.stacks = 1;
    second.unread = 2;
    const PythonWalks sum = sum_of(std::map<uint64_t, PythonWalks>{{0, first}, {1, second}});
    CHECK(sum.stacks == 5);
    CHECK(sum.frames == 40);
    CHECK(sum.unread == 2);
    CHECK(sum_of(std::map<uint64_t, PythonWalks>{}).stacks == 0);
}
