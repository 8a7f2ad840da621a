// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/path_look.h"

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

constexpr const char* story = R"(
    node lane=0 time=1 id=1 parent=0 kind=native module=0 address=0x10
    node lane=0 time=1 id=2 parent=1 kind=native module=0 address=0x20
    node lane=0 time=1 id=3 parent=1 kind=native module=0 address=0x30
    acquire lane=0 time=10 stack=2 size=8 address=0x1000
    acquire lane=0 time=20 stack=3 size=8 address=0x2000
    release lane=0 time=25 address=0x1000
    acquire lane=0 time=30 stack=2 size=8 address=0x3000
)";

}  // namespace

TEST_CASE("a look at a dump counts the turns of its stacks") {
    const TempFile file(dump_from_text(story));
    const PathLook look = look_at_paths(file.path());
    uint64_t there = 0, back = 0;
    for (const PathTurn& turn : look.moves.turns()) {
        if (turn.from == 2 && turn.to == 3) there = turn.count;
        if (turn.from == 3 && turn.to == 2) back = turn.count;
    }
    CHECK(there == 1);
    CHECK(back == 1);
    CHECK_FALSE(look.has_marked_steps);
    CHECK_FALSE(look.is_sample);
}

TEST_CASE("a dump with a sample of the heap does not have each turn") {
    const TempFile file(
        dump_from_text(story + std::string("heap_sample lane=0 time=40 interval=65536\n")));
    CHECK(look_at_paths(file.path()).is_sample);
}

TEST_CASE("a program that marks its steps is told from one that does not") {
    std::string marked = story;
    for (int i = 0; i < 12; ++i) {
        marked += "mark lane=0 time=" + std::to_string(40 + i) + " kind=mark text=\"step\"\n";
    }
    const TempFile file(dump_from_text(marked));
    CHECK(look_at_paths(file.path()).has_marked_steps);
}
