// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_siblings.h"

#include <set>

#include "analyzer/growth/growth.h"
#include "tests/unit/analyzer/growth/curves.h"
#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// A ring of blocks that is full in step `full` of 2,000.
Curve ring_of(int full) {
    return MadeProgram().run([&](MadeProgram& program, int i) {
        program.take();
        if (i >= full) program.give_first();
    });
}

// One block of `every` steps, up to step `end`.
Curve kept_until(int end, int every = 30) {
    return MadeProgram().run([&](MadeProgram& program, int i) {
        if (i % every == 0 && i < end) program.take();
    });
}

Beside look(const Curve& growth, const Curve& cache) { return beside_cache(growth, 0, cache); }

}  // namespace

TEST_CASE("what stops when the cache beside it is full is a part of it") {
    CHECK(look(kept_until(1700), ring_of(1700)) == Beside::part);
}

TEST_CASE("of few blocks that came regularly, a long pause tells that they stopped") {
    CHECK(look(kept_until(1600, 150), ring_of(1600)) == Beside::part);
    CHECK(look(kept_until(1900, 250), ring_of(1900)) == Beside::not_sure);
}

TEST_CASE("what goes on when the cache beside it is full is a leak") {
    CHECK(look(kept_until(2000), ring_of(1700)) == Beside::apart);
    CHECK(look(kept_until(2000), ring_of(200)) == Beside::apart);
}

TEST_CASE("beside a cache that is full near the end only nobody can tell") {
    CHECK(look(kept_until(1980), ring_of(1980)) == Beside::not_sure);
}

TEST_CASE("one of 25 blocks of a ring comes and goes as the others do, and a leak does not") {
    int found = 0;
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        std::deque<bool> ring;
        const auto run = [&](bool is_part) {
            ring.clear();
            return MadeProgram(seed).run([&](MadeProgram& program, int) {
                ring.push_back((program.below(25) == 0) == is_part);
                if (ring.back()) program.take();
                if (ring.size() <= 1700) return;
                if (ring.front()) program.give_first();
                ring.pop_front();
            });
        };
        const Curve part = run(true), rest = run(false);
        found += is_some_of(part, rest);
        CHECK_FALSE(is_some_of(kept_until(2000, 25), rest));
        CHECK_FALSE(is_some_of(part, kept_until(2000, 1)));
    }
    CHECK(found >= 40);
    CHECK_FALSE(is_some_of(ring_of(400), ring_of(1700)));  // Fewer of them stay.
}

TEST_CASE("a cache that nobody asks any more says nothing of what ended with it") {
    CHECK(look(kept_until(1700), kept_until(1700, 1)) == Beside::apart);
}

namespace {

// Returns what grows, and checks that no call site is a part of two findings.
std::vector<GrowthFinding> growths_of(const GrowingStory& story) {
    std::vector<GrowthFinding> growths;
    std::set<uint32_t> sites;
    for (const GrowthFinding& finding : find_growth(story.recording).findings) {
        for (const uint32_t site : finding.members) CHECK(sites.insert(site).second);
        if (is_growth(finding.verdict)) growths.push_back(finding);
    }
    return growths;
}

}  // namespace

TEST_CASE("what two findings of a line could take belongs to one of them, with the other") {
    GrowingStory story;
    story.keeps({"libx:first", "keep app.cpp:3", "main app.cpp:9"}, 4000, 40);
    story.keeps({"libx:early", "keep app.cpp:3", "main app.cpp:9"}, 4000, 0, 40);
    story.keeps({"libx:small", "keep app.cpp:3", "main app.cpp:9"}, 64, 45);
    const std::vector<GrowthFinding> growths = growths_of(story);
    REQUIRE(growths.size() == 1);
    CHECK(growths[0].members.size() == 3);
    CHECK(growths[0].grown_blocks == 155);
    CHECK(growths[0].held_bytes == 100 * 4000 + 55 * 64);
}

TEST_CASE("what grows at one line for two callers stays two findings") {
    GrowingStory story;
    for (const char* caller : {"one app.cpp:7", "two app.cpp:8"}) {
        story.keeps({"libx:first", "keep app.cpp:3", caller}, 4000, 40);
        story.keeps({"libx:early", "keep app.cpp:3", caller}, 4000, 0, 40);
    }
    const std::vector<GrowthFinding> growths = growths_of(story);
    REQUIRE(growths.size() == 2);
    for (const GrowthFinding& growth : growths) CHECK(growth.grown_blocks == 100);
}

TEST_CASE("what one stack of a line lacks in some steps another one has: they are one finding") {
    GrowingStory story;
    // The interpreter goes another way in a step of five, for half of the run.
    story.keeps({"libx:usual", "keep app.cpp:3", "main app.cpp:9"}, 4000, 0, 100, 5);
    for (const uint64_t begin : {1, 2, 3})
        story.keeps({"libx:usual", "keep app.cpp:3", "main app.cpp:9"}, 4000, begin, 100, 5);
    story.keeps({"libx:usual", "keep app.cpp:3", "main app.cpp:9"}, 4000, 54, 100, 5);
    story.keeps({"libx:other", "keep app.cpp:3", "main app.cpp:9"}, 4000, 4, 50, 5);
    const std::vector<GrowthFinding> growths = growths_of(story);
    REQUIRE(growths.size() == 1);
    CHECK(growths[0].grown_blocks == 100);
}

TEST_CASE("a cache that is filled beside a leak of its line is no part of the leak") {
    GrowingStory story;
    story.keeps({"libx:leak", "keep app.cpp:3", "main app.cpp:9"}, 4000);
    story.keeps({"libx:cache", "keep app.cpp:3", "main app.cpp:9"}, 4000, 0, 35);
    const std::vector<GrowthFinding> growths = growths_of(story);
    REQUIRE(growths.size() == 1);
    CHECK(growths[0].grown_blocks == 100);
}

TEST_CASE("stacks of a line that draw from one arena are one finding, and none is full") {
    using Taken = std::vector<std::pair<uint32_t, uint64_t>>;
    const auto story_of = [](const Taken& first, const Taken& second) {
        GrowingStory story;
        story.takes({"libx:first", "request app.cpp:3", "main app.cpp:9"}, first);
        story.takes({"libx:second", "request app.cpp:3", "main app.cpp:9"}, second);
        return story;
    };
    // Which of the two finds the arena empty is chance.
    for (const bool is_other : {false, true}) {
        Taken first{{1, 9000}, {7, 46000}, {16, 105000}, {17, 157000}};
        Taken second{{4, 31000}, {11, 70000}, {40, 350000}};
        if (is_other) first.swap(second);
        const GrowingStory story = story_of(first, second);
        const Growth growth = find_growth(story.recording);
        REQUIRE(growth.findings.size() == 1);
        CHECK(growth.findings[0].verdict == Verdict::growing);
        CHECK(growth.findings[0].members.size() == 2);
        CHECK(growth.findings[0].grown_blocks == 7);
    }
    // Two that have nothing to do with each other stay two.
    const GrowingStory story =
        story_of({{1, 9000}, {10, 46000}, {60, 205000}}, {{2, 30000}, {12, 90000}, {50, 350000}});
    CHECK(growths_of(story).size() == 2);
}
