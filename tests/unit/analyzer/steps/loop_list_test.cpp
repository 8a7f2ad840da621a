// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/loop_list.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

SourceLoop loop(uint64_t count, uint64_t seconds, bool is_own = true) {
    SourceLoop loop;
    loop.file = "/home/u/train.py";
    loop.line = 5;
    loop.count = count;
    loop.end_ns = seconds * 1'000'000'000;
    loop.is_own = is_own;
    return loop;
}

}  // namespace

TEST_CASE("the steps are the outermost loop with enough iterations") {
    SourceLoops loops;
    loops.loops = {loop(2, 60), loop(80, 60), loop(960, 60)};
    loops.loops[1].parent = 0;
    loops.loops[2].parent = 1;
    choose_steps(loops);
    CHECK(loops.steps == 1);
}

TEST_CASE("of several loops own code counts before libraries, and long before short") {
    SourceLoops loops;
    loops.loops = {loop(3000, 1), loop(100, 50), loop(5000, 60, false)};
    choose_steps(loops);
    CHECK(loops.steps == 1);
}

TEST_CASE("a loop that is over soon is not that of the steps") {
    SourceLoops loops;
    loops.loops = {loop(500, 20, false), loop(5, 60)};
    choose_steps(loops);
    CHECK_FALSE(loops.steps);
    loops.loops = {loop(500, 11), loop(5, 60)};
    choose_steps(loops);
    CHECK_FALSE(loops.steps);
    loops.loops = {loop(500, 20), loop(5, 60)};
    choose_steps(loops);
    CHECK(loops.steps == 0);
}

TEST_CASE("no steps are found if no loop can be counted, and the reason is said") {
    SourceLoops loops;
    loops.loops = {loop(3, 1)};
    choose_steps(loops);
    CHECK_FALSE(loops.steps);
    CHECK(loops.why_none == "no loop with enough iterations takes memory in each of them");
    loops = {};
    loops.loops = {loop(3, 1)};
    loops.loops[0].count.reset();
    loops.loops[0].why_not = "reasons";
    choose_steps(loops);
    CHECK(loops.why_none == "the loop at train.py:5 goes round, but reasons");
}

TEST_CASE("the user's loop may begin late, after imports that took most of the time") {
    SourceLoops loops;
    loops.loops = {loop(800, 25, false), loop(120, 60)};
    loops.loops[1].begin_ns = 52'000'000'000;
    choose_steps(loops);
    CHECK(loops.steps == 1);
    loops.loops[1].end_ns = 53'000'000'000;  // It is over soon, and other loops go on.
    loops.loops.push_back(loop(5, 60));
    choose_steps(loops);
    CHECK_FALSE(loops.steps);
}

TEST_CASE("a library's loop that is over before the program's work is not that of the steps") {
    SourceLoops loops;
    loops.loops = {loop(1200, 60, false)};
    const uint64_t end = loops.loops[0].end_ns;
    choose_steps(loops, end);
    CHECK(loops.steps == 0);
    choose_steps(loops, end + end / 10);  // An evaluation follows.
    CHECK(loops.steps == 0);
    choose_steps(loops, end + end / 2);
    CHECK_FALSE(loops.steps);
}

TEST_CASE(
    "a library's loop that goes round a few times whenever it is called is not that of the "
    "steps") {
    SourceLoops loops;
    loops.loops = {loop(800, 60, false)};
    loops.loops[0].entries = 160;
    choose_steps(loops);
    CHECK_FALSE(loops.steps);
    loops.loops[0].entries = 20;  // epochs
    choose_steps(loops);
    CHECK(loops.steps == 0);
}

TEST_CASE("a library has no steps inside the user's loop whose iterations cannot be told apart") {
    SourceLoops loops;
    loops.loops = {loop(0, 60), loop(800, 60, false)};
    loops.loops[0].count.reset();
    loops.loops[0].why_not = "reasons";
    choose_steps(loops);
    CHECK_FALSE(loops.steps);
    CHECK_THAT(loops.why_none, Contains("but reasons"));
}

TEST_CASE("an inner loop is not that of the steps if the outer one has as many iterations") {
    SourceLoops loops;
    loops.loops = {loop(0, 60), loop(800, 60)};
    loops.loops[0].count.reset();
    loops.loops[0].why_not = "reasons";
    loops.loops[1].parent = 0;
    loops.loops[1].entries = 3;  // epochs
    choose_steps(loops);
    CHECK(loops.steps == 1);
    loops.loops[1].entries = 40;
    choose_steps(loops);
    CHECK_FALSE(loops.steps);
}
