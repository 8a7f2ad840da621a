// SPDX-License-Identifier: Apache-2.0
#include "preload/python/recognised_frames.h"

#include "tests/unit/test.h"

using namespace memtrace::preload;

namespace {

// Cached stacks that grow by a frame each.
struct Stacks {
    static constexpr uint16_t depth = 40;

    Stacks() {
        REQUIRE(arena.prepare());
        uint16_t outer = BumpArena::no_place;
        for (uint16_t length = 1; length <= depth; ++length) outer = add(outer, length);
        innermost = outer;
    }
    uint16_t add(uint16_t outer, uint16_t length) {
        const auto place = static_cast<uint16_t>(arena.take(sizeof(CachedPythonStack)));
        CachedPythonStack& one = arena.at<CachedPythonStack>(place);
        one = {};
        one.frame.frame = 0x1000u + length;
        one.outer = outer;
        one.length = length;
        return place;
    }
    const CachedPythonStack& at(uint16_t place) const { return arena.at<CachedPythonStack>(place); }

    BumpArena arena;
    uint16_t innermost = 0;
};

}  // namespace

TEST_CASE("a stack that was known several times lies in a row", "[recognised_frames]") {
    const Stacks stacks;
    RecognisedFrames row{};
    for (int i = 0; i < 3; ++i) {
        row.note(stacks.arena, stacks.at(stacks.innermost), 0);
        CHECK(row.count(stacks.arena) == 0);
    }
    row.note(stacks.arena, stacks.at(stacks.innermost), 0);
    REQUIRE(row.count(stacks.arena) == Stacks::depth);
    uint16_t place = stacks.innermost;
    for (uint32_t i = Stacks::depth; i > 0; --i, place = stacks.at(place).outer) {
        CHECK(row.frames()[i - 1].frame == 0x1000 + i);
        CHECK(row.place(i - 1) == place);
    }
}

TEST_CASE("a row stays while most of a stack is found in it", "[recognised_frames]") {
    Stacks stacks;
    RecognisedFrames row{};
    for (int i = 0; i < 4; ++i) row.note(stacks.arena, stacks.at(stacks.innermost), 0);
    const uint16_t deeper = stacks.add(stacks.innermost, Stacks::depth + 1);
    for (int i = 0; i < 100; ++i) row.note(stacks.arena, stacks.at(deeper), Stacks::depth);
    CHECK(row.count(stacks.arena) == Stacks::depth);
}

TEST_CASE("places of an arena that was cleared are void", "[recognised_frames]") {
    Stacks stacks;
    RecognisedFrames row{};
    for (int i = 0; i < 4; ++i) row.note(stacks.arena, stacks.at(stacks.innermost), 0);
    stacks.arena.clear();
    CHECK(row.count(stacks.arena) == 0);
}

TEST_CASE("a stack deeper than any walk takes no row", "[recognised_frames]") {
    Stacks stacks;
    RecognisedFrames row{};
    const uint16_t deep = stacks.add(stacks.innermost, RecognisedFrames::depth_max + 1);
    for (int i = 0; i < 8; ++i) row.note(stacks.arena, stacks.at(deep), 0);
    CHECK(row.count(stacks.arena) == 0);
}
