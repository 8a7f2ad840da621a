// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/stack_records.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

TEST_CASE("records define nodes and modules") {
    StackTree stacks;
    Node node;
    node.id = 2;
    node.parent = 1;
    node.module = 7;
    node.address = 0x10;
    CHECK(define_node(stacks.nodes, node));
    CHECK(stacks.nodes[2].parent == 1);
    CHECK(stacks.nodes[2].address == 0x10);
    CHECK(stacks.nodes[2].defined);
    node.parent = 2;
    CHECK_FALSE(define_node(stacks.nodes, node));
    Module module;
    module.id = 7;
    module.path = "/lib/a.so";
    define_module(stacks, module);
    CHECK(stacks.modules.at(7).path == "/lib/a.so");
}

TEST_CASE("ids far beyond the number of definitions are not believed") {
    CHECK(node_id_limit(0) == uint64_t{1} << 20);
    CHECK(node_id_limit(1'000'000) == 16'000'000);
}
