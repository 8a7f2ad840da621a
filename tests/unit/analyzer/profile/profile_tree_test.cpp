// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/profile_tree.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("nodes that lead to no site are left out, and the others keep their order") {
    Story story;
    story.stack({"unused", "main"});
    const uint32_t used = story.stack({"f", "g"});
    story.site("host", used, 1, 1);
    const TakenTree taken = take_tree(story.recording);
    CHECK(taken.tree.parents == std::vector<uint32_t>{0, 0, 1});
    CHECK(taken.node_of[used] == 2);
    CHECK(taken.tree.places.size() == 2);
}

TEST_CASE("places are equal if their names are, at whatever addresses") {
    Story story;
    const uint32_t a = story.stack({"f", "g"}), b = story.stack({"f", "g"});
    Symbols& symbols = story.recording.symbols;
    CHECK(symbols.nodes[a].address != symbols.nodes[b].address);
    story.site("host", a, 1, 1);
    story.site("host", b, 1, 1);
    CHECK(take_tree(story.recording).tree.places.size() == 2);
    story.change_node(b, [](StackNode& node) { node.kind = memtrace::NodeKind::guessed; });
    CHECK(take_tree(story.recording).tree.places.size() == 3);
}

TEST_CASE("a node comes after its caller and the stack that went forward, if that is possible") {
    NamedTree tree;
    tree.parents = {0, 0, 1, 0, 3};
    tree.place_of = {0, 0, 0, 0, 0};
    CHECK(in_order(tree) == std::vector<uint32_t>{1, 2, 3, 4});
    tree.forwards = {{2, 4}};
    CHECK(in_order(tree) == std::vector<uint32_t>{1, 3, 4, 2});
    tree.forwards = {{2, 4}, {3, 2}};
    CHECK_FALSE(in_order(tree).has_value());
    tree.forwards = {{2, 2}};
    CHECK_FALSE(in_order(tree).has_value());
}
