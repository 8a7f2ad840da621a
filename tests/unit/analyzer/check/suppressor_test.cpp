// SPDX-License-Identifier: Apache-2.0
//
// The leaks that a suppression matches, and how it counts them.
#include "analyzer/check/suppressor.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// True if a leak with this stack is suppressed.
bool takes(const std::string& suppressions, const std::vector<std::string>& frames,
           const std::string& today = "2026-07-01") {
    Story story;
    story.site("host", story.stack(frames), 1, 10, 1);
    Suppressor suppressor(story.recording, parse_suppressions(suppressions, "s"), today);
    const Space& host = story.recording.model.spaces[0];
    return suppressor.suppressed(host, host.sites[0]).live_bytes == 10;
}

std::string valgrind(const std::string& frames) {
    return "{\n name\n Memcheck:Leak\n " + frames + "\n}\n";
}

const std::string import = "py:_find_and_load <frozen importlib._bootstrap>:1176";

}  // namespace

TEST_CASE("LeakSanitizer's fits a function, a file or a module, anywhere in the stack") {
    const std::vector<std::string> stack{"libc:malloc", "load src/plugin.cpp:4", "main"};
    CHECK(takes("leak:load", stack));
    CHECK(takes("leak:plugin.cpp", stack));
    CHECK(takes("leak:libc.so", stack));
    CHECK(takes("leak:^main$", stack));
    CHECK_FALSE(takes("leak:unload", stack));
    CHECK_FALSE(takes("", stack));
}

TEST_CASE("valgrind's fits from the allocating function outwards") {
    const std::vector<std::string> stack{"load(int) src/plugin.cpp:4", "start", "main"};
    CHECK(takes(valgrind("fun:malloc\n fun:load"), stack));
    CHECK(takes(valgrind("fun:*alloc\n fun:load\n fun:start\n fun:main"), stack));
    CHECK(takes(valgrind("fun:malloc\n ...\n fun:main"), stack));
    CHECK(takes(valgrind("...\n fun:st?rt"), stack));
    CHECK(takes(valgrind("fun:malloc\n obj:/app/*"), stack));
    CHECK(takes(valgrind("fun:malloc\n src:plugin.cpp:4"), stack));
    CHECK(takes(valgrind("fun:malloc\n fun:_Z4loadi"), stack));
    CHECK_FALSE(takes(valgrind("fun:load"), stack));
    CHECK_FALSE(takes(valgrind("fun:malloc\n fun:start"), stack));
    CHECK_FALSE(takes(valgrind("fun:malloc\n src:plugin.cpp:5"), stack));
    CHECK_FALSE(takes(valgrind("fun:malloc\n fun:load\n fun:start\n fun:main\n fun:x"), stack));
}

TEST_CASE("valgrind knows no frames of Python, and its operator new calls no malloc") {
    CHECK(takes(valgrind("fun:malloc\n fun:load\n fun:main"),
                {"load", "py:f /p/train.py:1", "main"}));
    CHECK(takes(valgrind("fun:_Znwm\n fun:load"), {"operator new(unsigned long)", "load", "main"}));
}

TEST_CASE("one that has expired suppresses nothing; its last day is still a day") {
    const std::string text = "# until: 2027-01-31\nleak:load";
    CHECK(takes(text, {"load"}, "2027-01-31"));
    CHECK_FALSE(takes(text, {"load"}, "2027-02-01"));
    CHECK_FALSE(
        takes("# until: 2027-01-31\n" + valgrind("fun:malloc\n fun:load"), {"load"}, "2027-02-01"));
}

TEST_CASE("own code is spared where the suppression says so, but not for an import") {
    const std::string text = "# unless: own code\nleak:<frozen importlib";
    const std::string numpy = "py:<module> /v/lib/python3.11/site-packages/numpy/core.py:3";
    CHECK(takes(text, {"libc:malloc", numpy, import, "py:<module> /p/train.py:1"}));
    CHECK_FALSE(takes(text, {"libc:malloc", "py:fill /p/mine.py:7", "py:<module> /p/mine.py:9",
                             import, "py:<module> /p/train.py:1"}));
    CHECK_FALSE(takes(text, {"libc:malloc", "init_mine src/ext.c:5", import}));
    CHECK_FALSE(takes("# unless: own code\n" + valgrind("fun:malloc\n fun:load"), {"load"}));
}

TEST_CASE("the first that fits takes it, and each counts what it took") {
    Story story;
    story.site("host", story.stack({"load", "main"}), 3, 10, 2);
    story.site("host", story.stack({"keep", "main"}), 1, 7, 1);
    Suppressor suppressor(story.recording,
                          parse_suppressions("leak:load\nleak:main\nleak:nobody", "s"),
                          "2026-07-01");
    const Space& host = story.recording.model.spaces[0];
    for (const Site& site : host.sites)
        CHECK(suppressor.suppressed(host, site).live_blocks == site.totals.live_blocks);
    CHECK(suppressor.uses()[0].bytes == 20);
    CHECK(suppressor.uses()[0].blocks == 2);
    CHECK(suppressor.uses()[1].bytes == 7);
    CHECK(suppressor.uses()[2].blocks == 0);
}

TEST_CASE("today is a date") { CHECK(today_utc().size() == 10); }

TEST_CASE("dots stand for any frames, also none, wherever they are") {
    const std::vector<std::string> stack{"a", "b", "a", "c", "a", "b"};
    CHECK(takes(valgrind("...\n fun:a\n fun:c"), stack));
    CHECK(takes(valgrind("fun:malloc\n ...\n fun:a\n ...\n fun:b"), stack));
    CHECK(takes(valgrind("...\n fun:a\n fun:b\n ...\n fun:a\n fun:b\n ..."), stack));
    CHECK(takes(valgrind("...\n ...\n fun:b\n ..."), stack));
    CHECK_FALSE(takes(valgrind("...\n fun:b\n fun:c"), stack));
    CHECK_FALSE(takes(valgrind("...\n fun:c\n ...\n fun:c"), stack));
    CHECK_FALSE(takes(valgrind("...\n fun:b\n ...\n fun:b\n fun:a"), stack));
    CHECK_FALSE(takes(valgrind("...\n fun:b\n ...\n fun:b\n ...\n fun:a"), stack));
}

// With every way tried, each of these takes longer than the universe will last.
TEST_CASE("many dots and stars take no more than frames times patterns", "[suppressor]") {
    std::vector<std::string> stack;
    for (int i = 0; i < 3000; ++i) stack.push_back("a" + std::string(20, 'a'));
    std::string dots, stars = "leak:";
    for (int i = 0; i < 200; ++i) dots += "...\n fun:*a*\n ";
    for (int i = 0; i < 200; ++i) stars += "*a*a";
    CHECK_FALSE(takes(valgrind(dots + "...\n fun:nosuch"), stack));
    CHECK_FALSE(takes(valgrind(dots + "...\n fun:*a*\n fun:nosuch"), stack));
    CHECK_FALSE(takes(valgrind("...\n fun:*a*a*a*a*a*a*a*a*a*b\n ...\n fun:main"), stack));
    CHECK_FALSE(takes(stars + "*b", stack));
    CHECK_FALSE(takes(valgrind(dots + "...\n obj:*n*o*n*e*"), stack));
    CHECK(takes(valgrind(dots + "...\n fun:*a*"), stack));
}
