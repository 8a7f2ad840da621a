// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_stacks.h"

#include "analyzer/model/measure.h"
#include "tests/unit/analyzer/growth/growing.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

PageStacks stacks_of(const Story& story, size_t nodes_max) {
    const StackView view(story.recording.symbols);
    return make_page_stacks(story.recording, find_own_lines(story.recording, true), view,
                            nodes_max);
}

Totals sum_of(const PageSpace& space) {
    Totals sum;
    for (const PageSite& site : space.sites) add(sum, site.totals);
    return sum;
}

// A line with many callees, each smaller than the one before.
Story many_callees() {
    Story story;
    for (int i = 1; i <= 40; ++i) {
        story.site("host",
                   story.stack({"callee" + std::to_string(i) + " a.cpp:" + std::to_string(i),
                                "main a.cpp:90"}),
                   1, static_cast<uint64_t>(1000 / i), 1);
    }
    return story;
}

}  // namespace

TEST_CASE("page stacks: with enough room each call stack is a site of its own") {
    const Story story = training();
    const PageStacks page = stacks_of(story, 100);
    REQUIRE(page.spaces.size() == 1);
    CHECK(page.spaces[0].sites.size() == 3);
    CHECK(page.spaces[0].folded_stacks == 0);
    CHECK(page.all_nodes == page.nodes.size());
    CHECK(sum_of(page.spaces[0]) == story.recording.model.spaces[0].totals);
}

TEST_CASE("page stacks: what has no room belongs to its caller, and nothing is missing") {
    const Story story = many_callees();
    const PageStacks page = stacks_of(story, 12);
    CHECK(page.nodes.size() == 12);
    const PageSpace& space = page.spaces[0];
    CHECK(sum_of(space) == story.recording.model.spaces[0].totals);
    CHECK(space.folded_stacks == 30);
    uint64_t stacks = 0, folded_bytes = 0;
    for (const PageSite& site : space.sites) {
        stacks += site.stacks;
        if (!site.is_folded) continue;
        folded_bytes += site.totals.at_peak_bytes;
        CHECK(page.nodes[site.node].parent == 0);  // It is main.
    }
    CHECK(stacks == 40);
    CHECK(folded_bytes == space.folded_at_peak);
}

TEST_CASE("page stacks: folded sites keep the line that they belong to") {
    const Story story = many_callees();
    const OwnLines lines = find_own_lines(story.recording, true);
    const StackView view(story.recording.symbols);
    for (const size_t nodes : {16, 2000}) {
        const PageStacks page = make_page_stacks(story.recording, lines, view, nodes);
        std::vector<uint64_t> rows(page.rows.size() + 1);
        uint64_t sum = 0;
        for (const PageSite& site : page.spaces[0].sites) {
            rows[site.row] += site.totals.at_peak_bytes;
            sum += site.totals.at_peak_bytes;
        }
        CHECK(page.rows.size() + page.rows_left_out == lines.rows.size());
        CHECK(page.rows.size() == (nodes == 16 ? 2 : 40));
        for (size_t row = 0; row < page.rows.size(); ++row) {
            CHECK(rows[row] == lines.totals[0][page.rows[row]].at_peak_bytes);
        }
        CHECK(sum == story.recording.model.spaces[0].totals.at_peak_bytes);
    }
}

TEST_CASE("page stacks: histories of merged sites are added up") {
    GrowingStory story;
    story.keeps({"libc:malloc", "keep a.cpp:1", "main a.cpp:9"}, 100);
    story.keeps({"libc:calloc", "keep a.cpp:1", "main a.cpp:9"}, 10, 50, 60);
    const PageStacks page = stacks_of(story, 100);
    REQUIRE(page.spaces[0].sites.size() == 1);
    const std::vector<HeldPoint>& held = page.spaces[0].sites[0].held;
    const std::vector<HeldPoint>& whole = story.recording.model.spaces[0].history.held;
    REQUIRE(held.size() == whole.size());
    for (size_t i = 0; i < held.size(); ++i) {
        CHECK(held[i].bytes == whole[i].bytes);
        CHECK(held[i].blocks == whole[i].blocks);
        CHECK(held[i].allocations == whole[i].allocations);
    }
}

TEST_CASE("page stacks: a recording without memory has the root alone") {
    const PageStacks page = stacks_of(Story(), 10);
    CHECK(page.nodes.size() == 1);
    CHECK(page.spaces.empty());
}
