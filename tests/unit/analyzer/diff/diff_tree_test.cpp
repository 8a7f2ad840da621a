// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff_tree.h"

#include "tests/unit/analyzer/diff/diffs.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

Diff page_diff(const Story& before, const Story& after) {
    const PageOptions page;
    return compare(make_diff_side(before.recording, "/src", &page),
                   make_diff_side(after.recording, "/src", &page));
}

DiffPair sum_of(const DiffTreeSpace& space) {
    DiffPair sum;
    for (const DiffTreeSite& site : space.sites) {
        add(sum.before, site.figures.before);
        add(sum.after, site.figures.after);
    }
    return sum;
}

// Many callees of a line, each smaller than the one before.
Story callees(int first, int last, uint64_t bytes) {
    Story story;
    for (int i = first; i <= last; ++i) {
        const std::string number = std::to_string(i);
        story.site("host",
                   story.stack({"py:f" + number + " /src/a.py:" + number, "py:main /src/a.py:900"}),
                   1, bytes / static_cast<uint64_t>(i), 1);
    }
    return story;
}

}  // namespace

TEST_CASE("diff tree: the same calls of both recordings are one node") {
    const Story before = callees(1, 3, 600), after = callees(2, 4, 6000);
    const Diff diff = page_diff(before, after);
    const DiffTree tree = make_diff_tree(diff, 100);
    CHECK(tree.nodes.size() == 6);  // the root, main, four callees
    CHECK(tree.lines_left_out == 0);
    REQUIRE(tree.spaces.size() == 1);
    const DiffTreeSpace& space = tree.spaces[0];
    CHECK(space.stacks == 4);
    CHECK(space.folded_stacks == 0);
    CHECK(sum_of(space) == diff.spaces[0].totals);
    size_t in_both = 0;
    for (const DiffTreeSite& site : space.sites) {
        in_both += site.figures.before.held_blocks == 1 && site.figures.after.held_blocks == 1;
    }
    CHECK(in_both == 2);
}

TEST_CASE("diff tree: what has no room is at its caller, and nothing is missing") {
    const Story before = callees(1, 60, 6000), after = callees(5, 70, 6000);
    const Diff diff = page_diff(before, after);
    const DiffTree tree = make_diff_tree(diff, 16);
    CHECK(tree.nodes.size() == 16);
    CHECK(tree.all_nodes == 72);
    CHECK(tree.lines.size() == 2);
    CHECK(tree.lines_left_out == 68);
    const DiffTreeSpace& space = tree.spaces[0];
    CHECK(sum_of(space) == diff.spaces[0].totals);
    CHECK(space.stacks == 70);
    CHECK(space.folded_stacks == 56);
    DiffPair places = space.left_out;
    for (const uint32_t place : space.places) {
        add(places.before, diff.spaces[0].sites[place].figures.before);
        add(places.after, diff.spaces[0].sites[place].figures.after);
    }
    CHECK(places == diff.spaces[0].totals);
    CHECK(space.places.size() + space.places_left_out == 70);
}

TEST_CASE("diff tree: a change that is small beside the whole is kept") {
    Story before = callees(1, 40, 1'000'000), after = callees(1, 40, 1'000'000);
    after.site("host", after.stack({"py:fresh /src/a.py:800", "py:main /src/a.py:900"}), 1, 50, 1);
    const Diff diff = page_diff(before, after);
    const DiffTree tree = make_diff_tree(diff, 8);
    bool is_kept = false;
    for (const DiffTreeSite& site : tree.spaces[0].sites) {
        is_kept |= site.node != 0 && tree.frames[tree.nodes[site.node].frame].function == "fresh";
    }
    CHECK(is_kept);
}
