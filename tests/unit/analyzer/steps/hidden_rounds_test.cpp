// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/hidden_rounds.h"

#include "tests/unit/analyzer/steps/line_program.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using namespace memtrace::analyzer::test;

TEST_CASE(
    "a function that goes another way with other arguments may have been called again there") {
    const auto count_with = [](bool goes_another_way) {
        Program program(
            "def main():\n"              // 1
            "    for x in data:\n"       // 2
            "        a(x)\n"             // 3
            "        keep(x)\n"          // 4
            "def work():\n"              // 5
            "    if one():\n"            // 6
            "        return native()\n"  // 7
            "    two()\n"                // 8
            "    return three()\n");     // 9
        for (int i = 0; i < 20; ++i) {
            program.take({3, 8});
            program.take({3, 9});
            program.take({4});
        }
        // A list that grows, beside a function without source that takes two blocks.
        for (int i = 0; goes_another_way && i < 60; ++i) {
            program.take({3, 7, 100});
            program.take({3, 7, 101});
            if (i == 4 || i == 12 || i == 28) program.take({4});
        }
        return program.loops().loops.at(0).count;
    };
    CHECK(count_with(false) == 20);
    CHECK_FALSE(count_with(true));
}

TEST_CASE("iterations may hide beside a function that takes memory under a condition") {
    const auto count_with = [](const char* condition) {
        Program program(std::string("def main():\n"             // 1
                                    "    for x in data:\n"      // 2
                                    "        work(x)\n"         // 3
                                    "        sometimes(x)\n"    // 4
                                    "def work(x):\n"            // 5
                                    "    keep(bytearray(x))\n"  // 6
                                    "def sometimes(x):\n") +    // 7
                        condition +                             // 8
                        "    keep(bytearray(x))\n");            // 9
        for (int i = 0; i < 60; ++i) {
            for (int k = 0; k < 3; ++k) {
                program.take({3, 6, 100});
                program.take({3, 6, 101});
            }
            program.take({4, 9, 100});
            program.take({4, 9, 101});
        }
        return program.loops().loops.at(0).count;
    };
    CHECK_FALSE(count_with("    if x % 3: return\n"));
    CHECK(count_with("    pass\n") == 60);
}

TEST_CASE("iterations may hide where only one line goes on, as beside a table that is made once") {
    const auto count_with = [](int more) {
        Program program(
            "def main():\n"         // 1
            "    for x in data:\n"  // 2
            "        native(x)\n"   // 3
            "        table()\n"     // 4
            "        other()\n");   // 5
        for (int i = 0; i < 2; ++i) {
            program.take({3, 100});
            program.take({3, 101});
            program.take({4});
            program.take({5});
        }
        for (int i = 0; i < more; ++i) {
            program.take({3, 100});
            program.take({3, 101});
        }
        return program.loops().loops.at(0).count;
    };
    CHECK(count_with(0) == 2);
    CHECK_FALSE(count_with(30));
}

TEST_CASE("iterations may hide beside a line that takes memory once, and now and then more") {
    Program program(
        "def main():\n"         // 1
        "    for x in data:\n"  // 2
        "        work(x)\n"     // 3
        "        other(x)\n");  // 4
    for (int i = 0; i < 100; ++i) {
        for (int k = 0; k <= (i % 3 == 0 ? 1 : 0); ++k) {
            program.take({3, 100});
            program.take({3, 101});
        }
        program.take({4, 100});
        if (i == 20 || i == 60) program.take({4, 101});  // a table that grows
    }
    CHECK_FALSE(program.loops().loops.at(0).count);
}
