// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_tree.h"

#include <string>

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// Returns the functions from a node outwards: "make < step < main".
std::string path_of(const Story& story, const PageTree& tree, uint32_t node) {
    std::string path;
    for (; node != PageTree::root; node = tree.parent(node)) {
        path +=
            (path.empty() ? "" : " < ") + story.recording.symbols.frames[tree.frame(node)].function;
    }
    return path;
}

}  // namespace

TEST_CASE("page tree: stacks that read the same are one node, without plumbing") {
    Story story;
    const uint32_t a = story.stack({"libc:malloc", "make a.cpp:1", "main a.cpp:9", "libc:_start"});
    const uint32_t b = story.stack({"libc:calloc", "make a.cpp:1", "main a.cpp:9", "libc:_start"});
    story.site("host", a, 1, 10);
    story.site("host", b, 1, 20);
    const StackView view(story.recording.symbols);
    const PageTree tree(story.recording.model, view);
    CHECK(tree.size() == 3);
    CHECK(tree.node_of(a) == tree.node_of(b));
    CHECK(path_of(story, tree, tree.node_of(a)) == "make < main");
    CHECK(tree.node_of(memtrace::no_stack) == PageTree::root);
}

TEST_CASE("page tree: a stack with Python leaves out the interpreter, another keeps it") {
    const Story story = python_training();
    const StackView view(story.recording.symbols);
    const PageTree tree(story.recording.model, view);
    const Sites& sites = story.recording.model.spaces[0].sites;
    CHECK(path_of(story, tree, tree.node_of(sites.stack(0))) == "train_step < <module>");
    CHECK(path_of(story, tree, tree.node_of(sites.stack(2))) == "Py_InitializeFromConfig");
}

TEST_CASE("page tree: a stack of nothing but plumbing has all of its frames") {
    Story story;
    const uint32_t pool = story.stack({"libc:malloc", "libc:emergency_pool", "libc:_start"});
    const uint32_t own = story.stack({"libc:malloc", "main a.cpp:9", "libc:_start"});
    story.site("host", pool, 1, 72'704);
    story.site("host", own, 1, 10);
    const StackView view(story.recording.symbols);
    const PageTree tree(story.recording.model, view);
    CHECK(path_of(story, tree, tree.node_of(pool)) == "malloc < emergency_pool < _start");
    CHECK(path_of(story, tree, tree.node_of(own)) == "main");
}
