// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/find_loops.h"

#include "tests/unit/analyzer/steps/line_program.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::analyzer::test;

namespace {

const char* two_lines =
    "def main():\n"         // 1
    "    start()\n"         // 2
    "    for x in data:\n"  // 3
    "        a(x)\n"        // 4
    "        b(x)\n"        // 5
    "    end()\n";          // 6

const char* nested =
    "def main():\n"             // 1
    "    for e in epochs:\n"    // 2
    "        load()\n"          // 3
    "        for x in data:\n"  // 4
    "            a(x)\n"        // 5
    "            b(x)\n"        // 6
    "def work():\n"             // 7
    "    one()\n"               // 8
    "    two()\n";              // 9

}  // namespace

TEST_CASE("a turn to an earlier line is an iteration") {
    Program program(two_lines);
    program.take({2});
    for (int i = 0; i < 25; ++i) {
        program.take({4});
        program.take({5});
    }
    program.take({6});
    const SourceLoops found = program.loops();
    REQUIRE(found.loops.size() == 1);
    CHECK(found.loops[0].line == 3);
    CHECK(found.loops[0].count == 25);
    CHECK(found.steps == 0);
}

TEST_CASE(
    "nested loops are counted each, and the inner one has enough iterations to be the steps") {
    Program program(nested);
    for (int epoch = 0; epoch < 3; ++epoch) {
        program.take({3});
        for (int i = 0; i < 7; ++i) {
            program.take({5});
            program.take({6});
        }
    }
    const SourceLoops found = program.loops();
    REQUIRE(found.loops.size() == 2);
    CHECK(found.loops[0].line == 2);
    CHECK(found.loops[0].count == 3);
    CHECK(found.loops[1].line == 4);
    CHECK(found.loops[1].count == 21);
    CHECK(found.loops[1].parent == 0);
    CHECK(found.steps == 1);
}

TEST_CASE("what the line of a loop does before the loop is no iteration") {
    Program program(nested);
    for (int epoch = 0; epoch < 3; ++epoch) {
        program.take({4});  // The line makes what is gone through.
        for (int i = 0; i < 40; ++i) {
            program.take({10'004, 8});  // It chooses the next element,
            program.take({10'004, 9});
            program.take({20'005});
        }
        program.take({10'004, 8});  // and finds that there is none.
    }
    const SourceLoops found = program.loops();
    REQUIRE(found.loops.size() == 2);
    CHECK(found.loops[1].line == 4);
    CHECK(found.loops[1].count == 120);
    CHECK(found.loops[1].entries == 3);
    CHECK(found.steps == 1);
}

TEST_CASE("arms of one branch tell iterations apart") {
    Program program(
        "def main():\n"         // 1
        "    for x in data:\n"  // 2
        "        if odd(x):\n"  // 3
        "            a(x)\n"    // 4
        "        else:\n"       // 5
        "            b(x)\n"    // 6
        "            c(x)\n");  // 7
    for (int i = 0; i < 15; ++i) {
        program.take({4});
        program.take({6});
        program.take({7});
        program.take({6});
        program.take({7});
    }
    const SourceLoops found = program.loops();
    REQUIRE(found.loops.size() == 1);
    CHECK(found.loops[0].count == 45);
}

TEST_CASE("two conditions one behind the other hide iterations") {
    Program program(
        "def main():\n"          // 1
        "    for x in data:\n"   // 2
        "        if odd(x):\n"   // 3
        "            a(x)\n"     // 4
        "        if even(x):\n"  // 5
        "            b(x)\n");   // 6
    for (int i = 0; i < 15; ++i) {
        program.take({4});
        program.take({6});
    }
    const SourceLoops found = program.loops();
    REQUIRE(found.loops.size() == 1);
    CHECK_FALSE(found.loops[0].count.has_value());
}

TEST_CASE("a callee that begins again is an iteration of its caller's loop") {
    Program program(nested);
    program.take({3});
    for (int i = 0; i < 12; ++i) {
        program.take({5, 8});
        program.take({5, 9});
    }
    const SourceLoops found = program.loops();
    REQUIRE(found.loops.size() == 1);
    CHECK(found.loops[0].line == 4);
    CHECK(found.loops[0].count == 12);
}

TEST_CASE("lines that are used in turns hide iterations, so none are counted") {
    Program program(
        "def main():\n"
        "    for x in data:\n"
        "        if x:\n"
        "            a(x)\n"
        "        if not x:\n"
        "            b(x)\n");
    for (int i = 0; i < 20; ++i) program.take({i % 2 == 0 ? 4u : 6u});
    const SourceLoops found = program.loops();
    REQUIRE(found.loops.size() == 1);
    CHECK_FALSE(found.loops[0].count);
    CHECK_FALSE(found.steps);
}

TEST_CASE("a buffer that is made larger now and then tells no iterations") {
    const char* const one_line =
        "def main():\n"
        "    for x in data:\n"
        "        seen.append(x)\n";
    Program growing(one_line), plain(one_line);
    for (int i = 0; i < 20; ++i) {
        growing.take({3}, uint64_t{64} << i);
        plain.take({3}, 64);
    }
    const SourceLoops found = growing.loops();
    REQUIRE(found.loops.size() == 1);
    CHECK_FALSE(found.loops[0].count);
    CHECK(found.loops[0].why_not.find("to make something larger") != std::string::npos);
    CHECK_FALSE(found.steps);
    CHECK(plain.loops().loops.at(0).count == 20);
}

TEST_CASE("a condition and what it decides, on one line, need not run in each iteration") {
    Program program(
        "def main():\n"
        "    for e in epochs:\n"
        "        for x in data: a(x); b(x)\n"
        "        if e < 20: keep(e)\n");
    for (int i = 0; i < 20; ++i) {
        program.take({3});
        program.take({4});
    }
    for (const SourceLoop& loop : program.loops().loops) {
        if (loop.line == 2) CHECK_FALSE(loop.count);
    }
}

TEST_CASE("what is busy for long after the last iteration may hide others") {
    const auto count_with_rest = [](int rest) {
        Program program(nested);
        for (int i = 0; i < 20; ++i) {
            program.take({3});
            program.take({5});
            program.take({6});
        }
        // Nothing is at line 3 any more, so that each of these may be an iteration.
        for (int i = 0; i < rest; ++i) program.take({5, 8});
        return program.loops().loops.at(0).count;
    };
    CHECK(count_with_rest(4) == 20);
    CHECK_FALSE(count_with_rest(40));
}

TEST_CASE("a loop that several threads run is one loop of several threads") {
    Program program(two_lines);
    for (int i = 0; i < 10; ++i) {
        for (const uint32_t thread : {0u, 1u, 2u}) program.take({4}, 0, thread);
        for (const uint32_t thread : {0u, 1u, 2u}) program.take({5}, 0, thread);
    }
    const SourceLoops found = program.loops();
    CHECK(found.loops.at(0).count == 30);
    CHECK(found.loops.at(0).threads == 3);
    CHECK(found.loops.at(0).thread == "3 threads");
}

TEST_CASE("a loop on the line of other code is the reason why nothing is counted") {
    Program program(
        "def main():\n"
        "    for k in data:\n"
        "        y = [f(i) for i in k]\n");
    for (int i = 0; i < 30; ++i) program.take({3});
    const SourceLoops loops = program.loops();
    CHECK_FALSE(loops.steps);
    CHECK(loops.why_none.ends_with(
        ":3 has a loop without a line of its own, so iterations around it cannot be told apart"));
}

TEST_CASE("a loop that waits is counted by a line that does not") {
    Program program(
        "async def client():\n"         // 1
        "    for i in range(n):\n"      // 2
        "        r = await get(i)\n"    // 3
        "        use(r)\n"              // 4
        "        s = await get(i)\n");  // 5
    for (int i = 0; i < 25; ++i) {
        program.take({3});
        program.take({});  // Others have their turn.
        program.take({3});
        program.take({4});
        program.take({});
        program.take({5});
    }
    const SourceLoops found = program.loops();
    REQUIRE(found.loops.size() == 1);
    CHECK(found.loops[0].count == 25);
    CHECK(found.steps == 0);
}

TEST_CASE("two that wait in one loop are counted together, whoever goes on first") {
    Program program(
        "async def worker():\n"          // 1
        "    while True:\n"              // 2
        "        item = await take()\n"  // 3
        "        work(item)\n");         // 4
    program.take({3});
    for (int i = 0; i < 30; ++i) {
        program.take({4});
        program.take({3});
        if (i % 3 == 0) program.take({3});
        if (i % 2 == 0) program.take({});
    }
    const SourceLoops found = program.loops();
    REQUIRE(found.loops.size() == 1);
    CHECK(found.loops[0].count == 30);
}

TEST_CASE("a loop that waits in each of its lines cannot be counted") {
    Program program(
        "def main():\n"              // 1
        "    for i in range(n):\n"   // 2
        "        r = yield a()\n"    // 3
        "        s = yield b()\n");  // 4
    for (int i = 0; i < 25; ++i) {
        program.take({3});
        program.take({});
        program.take({3});
        program.take({4});
    }
    const SourceLoops found = program.loops();
    REQUIRE(found.loops.size() == 1);
    CHECK(!found.loops[0].count);
    CHECK(found.loops[0].why_not.find("wait") != std::string::npos);
}

TEST_CASE("lines that close a function in C++ tell no iterations of the loops around others") {
    const auto loops_with = [](const char* last, uint32_t rare) {
        Program program(std::string("int main() {\n"          // 1
                                    "    while (next()) {\n"  // 2
                                    "        first();\n"      // 3
                                    "        second();\n"     // 4
                                    "    }\n") +              // 5
                            last,                             // 6
                        true);
        for (uint32_t i = 0; i < 200; ++i) {
            program.take({3});
            program.take({6});
            if (i % rare == 0) program.take({4});
        }
        return program.loops().loops;
    };
    for (const char* last : {"}\n", "return 0; }\n"}) {
        for (const uint32_t rare : {1u, 40u, 500u}) {
            const std::vector<SourceLoop> loops = loops_with(last, rare);
            REQUIRE(loops.size() == 1);
            CHECK_FALSE(loops[0].count);
            CHECK_THAT(loops[0].why_not, Catch::Matchers::Contains("which statement line 6"));
        }
    }
}

TEST_CASE("a line that closes a function counts if it names what it calls") {
    const auto count_with = [](const char* last) {
        Program program(std::string("int main() {\n"          // 1
                                    "    while (next()) {\n"  // 2
                                    "        work();\n"       // 3
                                    "        other();\n"      // 4
                                    "    }\n"                 // 5
                                    "}\n"                     // 6
                                    "void work() {\n"         // 7
                                    "    first();\n") +       // 8
                            last,                             // 9
                        true);
        for (int i = 0; i < 30; ++i) {
            program.take({3, 8});
            program.take({3, 9});
            if (i % 10 == 0) program.take({4});
        }
        return program.loops().loops.at(0).count;
    };
    CHECK(count_with("    keep(malloc(8)); }\n") == 30);
    CHECK_FALSE(count_with("    keep(text() + more()); }\n"));
    CHECK_FALSE(count_with("}\n"));
}

TEST_CASE("main() of C++ is never called again") {
    Program program(
        "int main() {\n"          // 1
        "    while (next()) {\n"  // 2
        "        first();\n"      // 3
        "    }\n"                 // 4
        "    last();\n"           // 5
        "    return 0;\n"         // 6
        "}\n",                    // 7
        true);
    for (int i = 0; i < 50; ++i) {
        program.take({3});
        program.take({3});
        program.take({5});
    }
    CHECK_FALSE(program.loops().loops.at(0).count);
}

TEST_CASE("the loop of a helper is not that of the steps if the loop around it cannot be counted") {
    const auto steps_with = [](bool tells_calls) {
        Program program(
            "def main():\n"         // 1
            "    for x in data:\n"  // 2
            "        work(x)\n"     // 3
            "def work(x):\n"        // 4
            "    begin()\n"         // 5
            "    for y in x:\n"     // 6
            "        other(y)\n");  // 7
        for (int i = 0; i < 40; ++i) {
            if (tells_calls) program.take({3, 5});
            program.take({3, 7});
            program.take({3, 7});
        }
        return program.loops();
    };
    const SourceLoops unseen = steps_with(false);
    REQUIRE(unseen.loops.size() == 2);
    CHECK(unseen.loops[0].line == 2);
    CHECK_FALSE(unseen.loops[0].count);
    CHECK(unseen.loops[1].count == 80);
    CHECK_FALSE(unseen.steps);
    CHECK_THAT(unseen.why_none, Catch::Matchers::Contains(":2 goes round, but"));
    const SourceLoops told = steps_with(true);
    REQUIRE(told.steps == 0);
    CHECK(told.loops[0].count == 40);
}
