// SPDX-License-Identifier: Apache-2.0
//
// Stacks that end in code without unwind data, or pass it by a guess, are counted by module.
#include "analyzer/sites/unwind_gaps.h"

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using namespace memtrace::test;
using memtrace::Cut;

TEST_CASE("the frame at which a walk ended says whose fault it is, not those that it called") {
    const Model model = load_story(R"(
        module lane=0 id=1 path="/opt/libold.so"
        module lane=0 id=2 path="/opt/libgood.so"
        module lane=0 id=3 path=""                            # named by no file
        node lane=0 id=1 kind=truncated address=6             # no_data
        node lane=0 id=2 parent=1 module=1 address=0x10
        node lane=0 id=3 parent=2 module=2 address=0x20
        node lane=0 id=4 parent=3 module=2 address=0x30
        node lane=0 id=5 parent=1 module=3 address=0x40
        node lane=0 id=6 kind=truncated address=5             # failed
        node lane=0 id=7 parent=6 address=0x50
        node lane=0 id=8 kind=truncated address=1             # depth: nobody's fault
        node lane=0 id=9 parent=8 module=1 address=0x60
        acquire lane=0 time=1 stack=4 size=1 address=0x1000
        acquire lane=0 time=2 stack=3 size=1 address=0x2000
        acquire lane=0 time=3 stack=5 size=1 address=0x3000
        acquire lane=0 time=4 stack=7 size=1 address=0x4000
        acquire lane=0 time=5 stack=9 size=1 address=0x5000
        map lane=0 time=6 stack=2 size=4096 address=0x6000
    )");
    const UnwindGaps gaps = find_unwind_gaps(model);
    REQUIRE(gaps.ends.size() == 2);
    CHECK(gaps.ends.at(Cut::no_data) ==
          ModuleCounts{{"libold.so", 3}, {"code made at run time", 1}});
    CHECK(gaps.ends.at(Cut::failed) == ModuleCounts{{"code made at run time", 1}});
    CHECK(gaps.guessed == 0);
    CHECK(gaps.guessed_in.empty());
}

TEST_CASE("a capture with guessed frames counts once, and once for each module of them") {
    const Model model = load_story(R"(
        module lane=0 id=1 path="/opt/libold.so"
        module lane=0 id=2 path="/usr/lib/libold.so"          # the same library, loaded again
        node lane=0 id=1 address=0x10
        node lane=0 id=2 parent=1 module=1 kind=guessed address=0x20
        node lane=0 id=3 parent=2 module=2 kind=guessed address=0x30
        node lane=0 id=4 parent=3 kind=guessed address=0x40
        node lane=0 id=5 parent=4 module=1 address=0x50
        acquire lane=0 time=1 stack=5 size=1 address=0x1000
        acquire lane=0 time=2 stack=3 size=1 address=0x2000
        acquire lane=0 time=3 stack=1 size=1 address=0x3000
    )");
    const UnwindGaps gaps = find_unwind_gaps(model);
    CHECK(gaps.ends.empty());
    CHECK(gaps.guessed == 2);
    CHECK(gaps.guessed_in == ModuleCounts{{"libold.so", 2}, {"code made at run time", 1}});
}

TEST_CASE("a stack may be cut and have guessed frames") {
    const Model model = load_story(R"(
        node lane=0 id=1 kind=truncated address=6
        node lane=0 id=2 parent=1 address=0x10
        node lane=0 id=3 parent=2 kind=guessed address=0x20
        acquire lane=0 time=1 stack=3 size=1 address=0x1000
    )");
    const UnwindGaps gaps = find_unwind_gaps(model);
    CHECK(gaps.ends.at(Cut::no_data) == ModuleCounts{{"code made at run time", 1}});
    CHECK(gaps.guessed_in == ModuleCounts{{"code made at run time", 1}});
}

TEST_CASE("more modules than have a count of their own are counted together") {
    std::string text;
    for (int id = 1; id <= 70; ++id) {
        const std::string number = std::to_string(id);
        text += "module lane=0 id=" + number + " path=\"lib" + number + ".so\"\n" +
                "node lane=0 id=" + number + " module=" + number + " kind=guessed\n" +
                "acquire lane=0 stack=" + number + " size=0\n";
    }
    const UnwindGaps gaps = find_unwind_gaps(load_story(text));
    CHECK(gaps.guessed == 70);
    REQUIRE(gaps.guessed_in.size() == 64);
    CHECK(gaps.guessed_in[0] == ModuleCount{"other modules", 7});
    CHECK(gaps.guessed_in[1].captures == 1);
}

TEST_CASE("what a damaged dump does not define has no module") {
    const Model model = load_story(R"(
        node lane=0 id=1 kind=truncated address=6
        node lane=0 id=2 parent=1 module=9 address=0x10
        node lane=0 id=4 parent=3 address=0x10                # 3 is missing
        acquire lane=0 time=1 stack=2 size=1 address=0x1000
        acquire lane=0 time=2 stack=1 size=1 address=0x2000
        acquire lane=0 time=3 stack=4 size=1 address=0x3000
    )");
    CHECK(find_unwind_gaps(model).ends.at(Cut::no_data) ==
          ModuleCounts{{"an unknown module", 1}, {"unknown code", 1}});
}
