// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/stack_nodes.h"

#include <catch2/catch.hpp>

using memtrace::no_stack;
using memtrace::NodeKind;
using memtrace::analyzer::StackNode;
using memtrace::analyzer::StackNodes;

namespace {

StackNode node_at(uint64_t address, uint32_t parent, NodeKind kind = NodeKind::native) {
    StackNode node;
    node.address = address;
    node.parent = parent;
    node.kind = kind;
    node.defined = true;
    return node;
}

}  // namespace

TEST_CASE("nodes of one place in the code share a location") {
    StackNodes nodes;
    nodes.resize(1);  // no stack
    const uint32_t main = nodes.push_back(node_at(16, no_stack));
    const uint32_t first = nodes.push_back(node_at(32, main));
    const uint32_t second = nodes.push_back(node_at(32, first));
    const uint32_t guessed = nodes.push_back(node_at(32, first, NodeKind::guessed));
    CHECK(nodes.location_of(first) == nodes.location_of(second));
    CHECK(nodes.location_of(first) != nodes.location_of(guessed));
    CHECK(nodes.location_count() == 4);  // with that of undefined nodes
    CHECK(nodes[second].parent == first);
    CHECK(nodes[second].address == 32);
    CHECK(nodes[guessed].kind == NodeKind::guessed);
}

TEST_CASE("a node that was never defined has the first location") {
    StackNodes nodes;
    nodes.resize(3);
    CHECK(nodes.location_of(2) == 0);
    CHECK_FALSE(nodes[2].defined);
}

TEST_CASE("a parent comes before its callees, or is none") {
    StackNodes nodes;
    nodes.resize(3);
    CHECK(nodes.set(2, node_at(16, 1)));
    CHECK_FALSE(nodes.set(1, node_at(32, 2)));
    CHECK(nodes.parent(1) == no_stack);
    CHECK(nodes.parent(2) == 1);
}

TEST_CASE("copies of the handle share the nodes") {
    StackNodes nodes;
    const StackNodes other = nodes;
    nodes.push_back(node_at(16, no_stack));
    CHECK(other.size() == 1);
}
