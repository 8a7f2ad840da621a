// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/stack_path.h"

#include <string>

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

StackNode node(uint32_t parent, NodeKind kind = NodeKind::native) {
    StackNode node;
    node.parent = parent;
    node.kind = kind;
    node.defined = true;
    node.address = 0x1000;
    return node;
}

// main 1 ─┬─ a 2 ── b 3
//         └─ c 4 ── d 5 ── e 6
StackNodes example() {
    StackNodes nodes;
    nodes.push_back({});
    for (const uint32_t parent : {0u, 1u, 2u, 1u, 4u, 5u}) nodes.push_back(node(parent));
    return nodes;
}

struct Sink {
    std::string& text;
    void repeat(uint32_t node) const { text += "repeat " + std::to_string(node) + "; "; }
    void turn(uint32_t from, uint32_t to) const {
        text += "turn " + std::to_string(from) + " " + std::to_string(to) + "; ";
    }
    void enter(uint32_t node) const { text += "enter " + std::to_string(node) + "; "; }
    void stay(uint32_t, uint64_t) {}
    void leave(uint32_t node) const { text += "leave " + std::to_string(node) + "; "; }
};

std::string go(StackPath& path, PathFrames& frames, uint32_t stack) {
    std::string text;
    path.go_to(stack, frames, Sink{text});
    return text;
}

}  // namespace

TEST_CASE("two stacks in a row part at siblings") {
    PathFrames frames(example());
    StackPath path;
    CHECK(go(path, frames, 3) == "turn 0 1; enter 2; enter 3; ");
    CHECK(go(path, frames, 3) == "repeat 3; ");
    CHECK(go(path, frames, 6) == "leave 3; turn 2 4; enter 5; enter 6; ");
    CHECK(go(path, frames, 5) == "turn 6 0; ");
    CHECK(go(path, frames, 6) == "turn 0 6; ");
    std::string text;
    path.end(Sink{text});
    CHECK(text == "leave 6; leave 5; leave 4; leave 1; ");
}

TEST_CASE("a stack that is cut has no place in a path") {
    StackNodes nodes = example();
    nodes.push_back(node(0, NodeKind::truncated));  // 7
    nodes.push_back(node(7));                       // 8
    PathFrames frames(nodes);
    StackPath path;
    CHECK(frames.of(8) == no_stack);
    CHECK(frames.of(6) == 6);
    CHECK(frames.depth(6) == 4);
    CHECK(frames.outer(6) == 5);
    CHECK(frames.of(99) == no_stack);
    go(path, frames, 3);
    CHECK(go(path, frames, 8).empty());
    CHECK(go(path, frames, 3) == "repeat 3; ");
}

TEST_CASE("two nodes of one Python frame are one frame of a path") {
    StackNodes nodes;
    nodes.push_back({});
    const auto add = [&](uint32_t parent, NodeKind kind, uint64_t address) {
        StackNode added = node(parent, kind);
        added.address = address;
        return nodes.push_back(added);
    };
    const uint32_t root = add(0, NodeKind::native, 0x10);
    const uint32_t eval = add(root, NodeKind::native, 0x20);
    const uint32_t main = add(eval, NodeKind::python, python_address(1, 3));
    const uint32_t a = add(main, NodeKind::native, 0x30);
    const uint32_t eval_again = add(root, NodeKind::native, 0x21);
    const uint32_t main_again = add(eval_again, NodeKind::python, python_address(1, 3));
    const uint32_t b = add(main_again, NodeKind::native, 0x31);
    PathFrames frames(nodes);
    StackPath path;
    go(path, frames, a);
    CHECK(go(path, frames, b) == "turn " + std::to_string(a) + " " + std::to_string(b) + "; ");
    CHECK(frames.of(main_again) == main);
}
