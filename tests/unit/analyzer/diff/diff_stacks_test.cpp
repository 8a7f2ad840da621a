// SPDX-License-Identifier: Apache-2.0
#include "analyzer/diff/diff_stacks.h"

#include "tests/unit/analyzer/diff/diffs.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

DiffStacks stacks_of(const Story& story) {
    const PageOptions page;
    return *make_diff_side(story.recording, "/src", &page).stacks;
}

// "main (a.py) > walk (a.py)" for each node.
std::vector<std::string> paths_of(const DiffStacks& stacks) {
    std::vector<std::string> paths(stacks.nodes.size());
    for (size_t node = 1; node < paths.size(); ++node) {
        const DiffNode& call = stacks.nodes[node];
        const std::string above = call.parent == 0 ? "" : paths[call.parent] + " > ";
        paths[node] = above + stacks.frames[call.frame].key;
    }
    paths.erase(paths.begin());
    return paths;
}

}  // namespace

TEST_CASE("diff stacks: lines of a function are the same place, and have no line") {
    Story story;
    story.site("host", story.stack({"py:f /src/a.py:4", "py:main /src/a.py:10"}), 1, 100, 1);
    story.site("host", story.stack({"py:f /src/a.py:5", "py:main /src/a.py:11"}), 1, 20, 1);
    const DiffStacks stacks = stacks_of(story);
    CHECK(paths_of(stacks) == std::vector<std::string>{"main (a.py)", "main (a.py) > f (a.py)"});
    CHECK(stacks.frames[0].shown.line == 0);
    REQUIRE(stacks.sites.size() == 1);
    REQUIRE(stacks.sites[0].size() == 2);  // Two own lines end there.
    CHECK(stacks.sites[0][0].node == stacks.sites[0][1].node);
    CHECK(stacks.sites[0][0].line != stacks.sites[0][1].line);
}

TEST_CASE("diff stacks: a recursion of any depth is the same place") {
    const std::string walk = "py:walk /src/a.py:3", visit = "py:visit /src/a.py:7";
    const std::string main = "py:main /src/a.py:10";
    for (const size_t depth : {1, 2, 5}) {
        std::vector<std::string> one, two;
        for (size_t i = 0; i < depth; ++i) {
            one.push_back(walk);
            two.insert(two.end(), {walk, visit});
        }
        one.push_back(main);
        two.push_back(main);
        Story story;
        story.site("host", story.stack(one), 1, 100, 1);
        CHECK(paths_of(stacks_of(story)) ==
              std::vector<std::string>{"main (a.py)", "main (a.py) > walk (a.py)"});
        Story circle;
        circle.site("host", circle.stack(two), 1, 100, 1);
        const DiffStacks stacks = stacks_of(circle);
        CHECK(paths_of(stacks).at(stacks.sites[0].at(0).node - 1) ==
              "main (a.py) > visit (a.py) > walk (a.py)");
    }
}

TEST_CASE("diff tree maker: what does not repeat stays apart") {
    DiffTreeMaker maker;
    const uint32_t a = maker.child(0, 1), b = maker.child(a, 2), c = maker.child(b, 1);
    CHECK(c != a);  // a, b, a: the circle is not closed a second time.
    CHECK(maker.child(c, 2) == b);
    CHECK(maker.child(a, 1) == a);
    CHECK(maker.child(b, 1) == c);
    CHECK(maker.nodes().size() == 4);
}
