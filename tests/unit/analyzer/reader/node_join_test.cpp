// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/node_join.h"

#include "analyzer/archive/archive.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

namespace {

Node node(uint32_t id, uint32_t parent, uint64_t address) {
    Node record;
    record.id = id;
    record.parent = parent;
    record.address = address;
    return record;
}

Event acquire(uint32_t stack) {
    Acquire record;
    record.stack = stack;
    return {merge_key(record), record};
}

uint32_t stack_of(const Event& event) { return std::get<Acquire>(event.record).stack; }

}  // namespace

TEST_CASE("records define nodes", "[node_join]") {
    StackNodes nodes;
    NodeJoin join(nodes);
    Node record = node(2, 1, 0x10);
    record.module = 7;
    CHECK(join.define(record));
    CHECK(nodes[2].parent == 1);
    CHECK(nodes[2].module == 7);
    CHECK(nodes[2].address == 0x10);
    CHECK(nodes[2].defined);
    CHECK_FALSE(join.define(node(2, 2, 0x10)));
}

TEST_CASE("a stack that is defined again is the first one", "[node_join]") {
    StackNodes nodes;
    NodeJoin join(nodes);
    join.define(node(1, no_stack, 0x1000));
    join.define(node(2, 1, 0x2000));
    join.define(node(3, 1, 0x3000));
    join.define(node(4, no_stack, 0x1000));
    join.define(node(5, 4, 0x3000));
    join.define(node(6, 5, 0x4000));
    CHECK(join.joined(4) == 1);
    CHECK(join.joined(5) == 3);
    CHECK(join.joined(6) == 6);
    CHECK(nodes.parent(6) == 3);
    CHECK(join.copies() == 2);
}

TEST_CASE("what differs in its kind or its module is not joined", "[node_join]") {
    NodeJoin join{StackNodes()};
    Node guessed = node(2, no_stack, 0x1000);
    guessed.kind = NodeKind::guessed;
    Node of_other_library = node(3, no_stack, 0x1000);
    of_other_library.module = 7;
    join.define(node(1, no_stack, 0x1000));
    join.define(guessed);
    join.define(of_other_library);
    CHECK(join.copies() == 0);
}

TEST_CASE("a node that is defined twice, in two places, is the one that was said last",
          "[node_join]") {
    StackNodes nodes;
    NodeJoin join(nodes);
    join.define(node(1, no_stack, 0x1000));
    join.define(node(2, 1, 0x2000));
    CHECK(join.define(node(2, 1, 0x3000)));
    CHECK(nodes[2].address == 0x3000);
    join.define(node(3, 1, 0x3000));
    CHECK(join.joined(3) == 2);
    CHECK_FALSE(join.define(node(2, 2, 0x3000)));
    CHECK(nodes[2].parent == no_stack);
}

TEST_CASE("a frame with thousands of callees finds each of them again", "[node_join]") {
    NodeJoin join{StackNodes()};
    constexpr uint32_t callees = 5'000;
    join.define(node(1, no_stack, 0x1000));
    for (uint32_t i = 0; i < 2 * callees; ++i) {
        join.define(node(2 + i, 1, 0x2000 + i % callees));
    }
    unsigned wrong = 0;
    for (uint32_t i = 0; i < callees; ++i) wrong += join.joined(2 + callees + i) != 2 + i;
    CHECK(wrong == 0);
}

TEST_CASE("events have the stack that stands for theirs", "[node_join]") {
    NodeJoin join{StackNodes()};
    join.define(node(1, no_stack, 0x1000));
    join.define(node(2, no_stack, 0x1000));
    CHECK(stack_of(join.joined(acquire(1))) == 1);
    CHECK(stack_of(join.joined(acquire(2))) == 1);
    Resize record;
    record.stack = 2;
    const AnyRecord resize = ResizeEnd{9, record};
    const Event event{18, &resize};
    const Event& joined = join.joined(event);
    CHECK(joined.key == 18);
    CHECK(record_if<ResizeEnd>(joined)->resize.stack == 1);
    const AnyRecord map = Map{};
    const Event without_stack{18, &map};
    CHECK(&join.joined(without_stack) == &without_stack);
}

TEST_CASE("a join that was stored and restored knows the copies, and no wrong ones",
          "[node_join]") {
    StackNodes nodes;
    NodeJoin join(nodes);
    join.define(node(1, no_stack, 0x1000));
    join.define(node(2, 1, 0x2000));
    join.define(node(3, 1, 0x2000));
    std::string bytes;
    ArchiveWriter writer([&](std::string_view piece) { bytes += piece; });
    writer(join);
    writer.end();
    NodeJoin restored(nodes);
    ArchiveReader reader(bytes);
    reader(restored);
    reader.end();
    CHECK(restored.joined(3) == 2);
    CHECK(restored.joined(2) == 2);
    CHECK(restored.copies() == 1);
    restored.define(node(4, 1, 0x2000));
    CHECK(restored.joined(4) == 2);

    NodeJoin of_no_nodes{StackNodes()};
    ArchiveReader again(bytes);
    again(of_no_nodes);
    CHECK(of_no_nodes.copies() == 0);
}

TEST_CASE("a copy with a larger number than a callee of its original is no parent of it",
          "[node_join]") {
    StackNodes nodes;
    NodeJoin join(nodes);
    join.define(node(9, no_stack, 0x1000));
    join.define(node(3, no_stack, 0x1000));
    CHECK(join.joined(3) == 9);
    CHECK(join.define(node(4, 3, 0x2000)));
    CHECK(nodes.parent(4) == 3);
    CHECK(join.define(node(12, 3, 0x2000)));
    CHECK(nodes.parent(12) == 9);
}

TEST_CASE("what a left-out module calls is joined with what does not go through it",
          "[node_join]") {
    const auto of_module = [](uint32_t module, Node record) {
        record.module = module;
        return record;
    };
    for (const bool is_told_late : {false, true}) {
        StackNodes nodes;
        NodeJoin join(nodes);
        if (!is_told_late) join.leave_out(7);
        join.define(of_module(1, node(1, no_stack, 0x1000)));
        join.define(of_module(1, node(2, 1, 0x2000)));
        join.define(of_module(7, node(3, 1, 0x10)));
        join.define(of_module(7, node(4, 3, 0x20)));
        join.leave_out(7);
        join.define(of_module(1, node(5, 4, 0x2000)));
        join.define(of_module(1, node(6, 5, 0x3000)));
        join.define(of_module(1, node(7, 3, 0x4000)));
        CHECK(join.joined(5) == 2);
        CHECK(nodes.parent(6) == 2);
        CHECK(join.joined(7) == 7);
        CHECK(nodes.parent(7) == 1);
        CHECK(join.joined(3) == 3);  // It may be the innermost one.
    }
}
