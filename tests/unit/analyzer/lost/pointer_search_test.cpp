// SPDX-License-Identifier: Apache-2.0
#include "analyzer/lost/pointer_search.h"

#include "tests/unit/analyzer/lost/made_up_memory.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using memtrace::LostRange;

namespace {

using State = PointerSearch::State;

constexpr LostRange root{0x100, 0x180};
constexpr uint64_t a = 0x1000, b = 0x2000, c = 0x3000, d = 0x4000, e = 0x5000;

// Five blocks of 64 bytes, from a to e.
struct Story {
    MadeUpMemory memory;
    BlockIndex blocks{{{a, 64}, {b, 64}, {c, 64}, {d, 64}, {e, 64}}};
    bool middles_are_good = false;

    std::vector<State> states() {
        PointerSearch search(blocks, memory,
                             [this](const SearchedBlock&, uint64_t) { return middles_are_good; });
        search.add_root(root);
        return search.finish();
    }
};

constexpr State reachable = State::reachable, possibly = State::possibly,
                definitely = State::definitely, indirectly = State::indirectly;

using States = std::vector<State>;

}  // namespace

TEST_CASE("a chain of pointers to beginnings is reachable, and the rest is lost") {
    Story story;
    story.memory.put(root.begin + 16, {a});
    story.memory.put(a + 8, {b});
    story.memory.put(b + 56, {c});
    CHECK(story.states() == States{reachable, reachable, reachable, definitely, definitely});
}

TEST_CASE("a pointer that is not aligned is none") {
    Story story;
    story.memory.put(root.begin + 4, {a});
    CHECK(story.states()[0] == definitely);
}

TEST_CASE("what only a lost block points to is lost with it") {
    Story story;
    story.memory.put(a, {b, c});
    story.memory.put(c, {d + 8});
    CHECK(story.states() == States{definitely, indirectly, indirectly, indirectly, definitely});
}

TEST_CASE("a later block that points to a lost one takes it over") {
    Story story;
    story.memory.put(a, {b});
    story.memory.put(e, {a});
    CHECK(story.states() == States{indirectly, indirectly, definitely, definitely, definitely});
}

TEST_CASE("blocks in a circle have one that is definitely lost") {
    Story story;
    story.memory.put(a, {b});
    story.memory.put(b, {c});
    story.memory.put(c, {a});
    story.memory.put(d, {d});
    CHECK(story.states() == States{definitely, indirectly, indirectly, definitely, definitely});
}

TEST_CASE("a pointer into the middle makes a block possibly lost, and what it points to") {
    Story story;
    story.memory.put(root.begin, {a + 8});
    story.memory.put(a, {b});
    CHECK(story.states() == States{possibly, possibly, definitely, definitely, definitely});
}

TEST_CASE("a pointer to the beginning is stronger, whichever is found first") {
    Story story;
    story.memory.put(root.begin, {a + 8, a, b + 16});
    story.memory.put(a, {b + 8, c});
    story.memory.put(c, {b});
    CHECK(story.states() == States{reachable, reachable, reachable, definitely, definitely});
}

TEST_CASE("a pointer into the middle that is as good leads on") {
    Story story;
    story.middles_are_good = true;
    story.memory.put(root.begin, {a + 8});
    story.memory.put(a, {b + 8});
    story.memory.put(b, {c + 8});
    CHECK(story.states() == States{reachable, reachable, reachable, definitely, definitely});
}

TEST_CASE("what is doubted is possibly lost, with what only it points to") {
    Story story;
    story.memory.put(a, {b});
    story.memory.put(b, {c});
    story.memory.put(d, {e});
    PointerSearch search(story.blocks, story.memory, [](const auto&, uint64_t) { return false; });
    CHECK(search.finish() == States{definitely, indirectly, indirectly, definitely, indirectly});
    CHECK(search.doubt({0}) == States{possibly, possibly, possibly, definitely, indirectly});
}

TEST_CASE("a root around blocks leaves out what lies in them") {
    Story story;
    story.memory.put(a, {b});
    story.memory.put(a + 64, {c});
    story.memory.put(e + 128, {d});
    PointerSearch search(story.blocks, story.memory, [](const auto&, uint64_t) { return false; });
    search.add_root_around_blocks({a - 64, e + 256});
    CHECK(search.finish() == States{definitely, indirectly, reachable, reachable, definitely});
}

TEST_CASE("an array without elements has a pointer behind its end") {
    MadeUpMemory memory;
    const BlockIndex blocks({{a, 8}, {b, 16}, {c, 8}});
    memory.put(root.begin, {a + 8, b + 16});
    PointerSearch search(blocks, memory, [](const auto&, uint64_t) { return false; });
    search.add_root(root);
    CHECK(search.finish() == States{reachable, definitely, definitely});
}

TEST_CASE("blocks that are held by order are reachable, and so is what they point to") {
    Story story;
    story.memory.put(b, {c});
    PointerSearch search(story.blocks, story.memory, [](const auto&, uint64_t) { return false; });
    search.add_held(1);
    CHECK(search.finish() == States{definitely, reachable, reachable, definitely, definitely});
}

TEST_CASE("the end of a block is as good as its beginning if that is an array of none") {
    Story story;
    story.memory.put(root.begin, {a + 64});
    CHECK(story.states()[0] == definitely);
    story.middles_are_good = true;
    CHECK(story.states()[0] == reachable);
    story.blocks = BlockIndex{{{a, 48}, {b, 64}, {c, 64}, {d, 64}, {e, 64}}};
    story.memory.put(root.begin, {a + 48});  // No alignment is 48.
    CHECK(story.states()[0] == definitely);
}
