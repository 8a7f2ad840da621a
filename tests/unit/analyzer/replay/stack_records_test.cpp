// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/stack_records.h"

#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;

TEST_CASE("records define modules") {
    StackTree stacks;
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

namespace {

// Adds a node below the last one. Modules: 1 is the interpreter, 2 is greenlet's.
void call(StackTree& stacks, NodeKind kind, uint32_t module, uint64_t address) {
    StackNode node;
    node.parent = static_cast<uint32_t>(std::max<size_t>(stacks.nodes.size(), 1)) - 1;
    node.kind = kind;
    node.module = module;
    node.address = address;
    node.defined = true;
    REQUIRE(stacks.nodes.set(node.parent + 1, node));
}

StackTree with_module(const std::string& path) {
    StackTree stacks;
    Module module;
    module.id = 2;
    module.path = path;
    define_module(stacks, module);
    return stacks;
}

}  // namespace

TEST_CASE("a greenlet's stack ends where the greenlet began") {
    for (const bool is_greenlet : {true, false}) {
        StackTree stacks = with_module(is_greenlet ? "/lib/_greenlet.abi3.so" : "/lib/other.so");
        call(stacks, NodeKind::truncated, no_module, 0);   // 1
        call(stacks, NodeKind::native, no_module, 0x7f0);  // 2: another greenlet's
        call(stacks, NodeKind::native, 2, 0x10);           // 3: g_switch
        call(stacks, NodeKind::native, 2, 0x20);           // 4: inner_bootstrap
        call(stacks, NodeKind::native, 1, 0x30);           // 5
        call(stacks, NodeKind::python, no_module, python_address(7, 1));
        cut_at_greenlets(stacks);
        CHECK(stacks.nodes.parent(4) == (is_greenlet ? no_stack : 3));
        CHECK(stacks.nodes.parent(6) == 5);
    }
}

TEST_CASE("what greenlet's own code allocates keeps the lines that called it") {
    StackTree stacks = with_module("/lib/_greenlet.abi3.so");
    call(stacks, NodeKind::native, 1, 0x30);                          // 1: main
    call(stacks, NodeKind::python, no_module, python_address(7, 1));  // 2
    call(stacks, NodeKind::native, 2, 0x10);                          // 3: switch
    cut_at_greenlets(stacks);
    CHECK(stacks.nodes.parent(3) == 2);
    CHECK(stacks.nodes.parent(2) == 1);
}

TEST_CASE("the shim's frames are in no stack, but where they are innermost") {
    StackTree stacks = with_module("/opt/libmemtrace.so");
    call(stacks, NodeKind::native, 1, 0x30);  // 1: main
    call(stacks, NodeKind::native, 2, 0x10);  // 2: in front of the allocator
    call(stacks, NodeKind::native, 1, 0x40);  // 3: the allocator
    leave_out_shim(stacks);
    CHECK(stacks.nodes.parent(3) == 1);
    CHECK(stacks.nodes.parent(2) == 1);
}
