// SPDX-License-Identifier: Apache-2.0
//
// The tree from the outermost frame inwards: the totals of a node are its own and those of its
// callees, and the totals of the roots are those of the space.
#include "analyzer/sites/call_tree.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::string list(const Story& story, const CallTree& tree, const std::vector<uint32_t>& ids,
                 Measure measure) {
    std::string out;
    for (const uint32_t id : ids) {
        const Call& node = tree.nodes[id];
        out +=
            (out.empty() ? "" : ", ") +
            (node.frame == no_frame ? "none" : story.recording.symbols.frames[node.frame].function);
        out += " " + std::to_string(value_of(node.totals, measure));
        if (const uint64_t own = value_of(node.own, measure); own != 0) {
            out += "+" + std::to_string(own);
        }
        if (!node.callees.empty()) out += " (" + list(story, tree, node.callees, measure) + ")";
    }
    return out;
}

std::string text(const Story& story, Measure measure = Measure::at_peak,
                 const TableOptions& options = {}) {
    const CallTree tree =
        make_call_tree(story.recording.model.spaces[0], story.recording.symbols, measure, options);
    return list(story, tree, tree.roots, measure);
}

}  // namespace

TEST_CASE("callers first, the largest callee first; what a function asked for itself is its own") {
    Story story;
    story.site("host", story.stack({"make", "step", "main"}), 1, 400);
    story.site("host", story.stack({"make", "test", "main"}), 1, 500);
    story.site("host", story.stack({"step", "main"}), 1, 70, 1);
    story.site("host", story.stack({"worker"}), 1, 3);
    CHECK(text(story) ==
          "main 970 (test 500 (make 500+500), step 470+70 (make 400+400)), worker 3+3");
    CHECK(text(story, Measure::leaked) ==
          "main 70 (step 70+70 (make 0), test 0 (make 0)), worker 0");
}

TEST_CASE("recursion goes deeper and is counted once at each level") {
    Story story;
    story.site("host", story.stack({"walk t.c:7", "walk t.c:7", "main"}), 1, 10);
    story.site("host", story.stack({"walk t.c:7", "main"}), 1, 5);
    CHECK(text(story) == "main 15 (walk 15+5 (walk 10+10))");
}

TEST_CASE("stacks of Python are folded, native calls inside of them stay") {
    const Story story = python_training();
    CHECK(text(story, Measure::allocations) ==
          "<module> 12 (train_step 12+8 (at::empty 4+4)), Py_InitializeFromConfig 10+10");
}

TEST_CASE("nothing is left out: not what has no stack, nor what has no interesting frame") {
    Story story;
    story.site("host", memtrace::no_stack, 1, 7);
    story.site("host", story.stack({"libc:malloc", "libc:fopen"}), 1, 5);
    CHECK(text(story) == "none 7+7, fopen 5 (malloc 5+5)");
}

TEST_CASE("frames that differ in their columns are one call") {
    Story story;
    const uint32_t a = story.stack({"py:f a.py:1"});
    const uint32_t b = story.stack({"py:f a.py:2"});
    story.recording.symbols.frames[1].line = 1;
    story.recording.symbols.frames[1].column = 9;
    story.site("host", a, 1, 10);
    story.site("host", b, 1, 20);
    CHECK(text(story) == "f 30+30");
}
