// SPDX-License-Identifier: Apache-2.0
//
// What occurs in the stacks of sites, and what occurs only in stacks with some location.
#include "analyzer/symbolise/used_nodes.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

// main < f < a, main < b, and g, which no site uses. Nodes and their locations have the same order.
struct Program {
    Program() {
        model.stacks.nodes.push_back({});
        main = add(memtrace::no_stack, 1);
        f = add(main, 2);
        a = add(f, 3);
        b = add(main, 4);
        again = add(main, 3);  // the code of `a`, called by main
        g = add(main, 5);
        model.spaces.emplace_back();
    }
    uint32_t add(uint32_t parent, uint64_t address) {
        StackNode node;
        node.parent = parent;
        node.address = address;
        node.defined = true;
        return model.stacks.nodes.push_back(node);
    }
    void use(uint32_t stack) { model.spaces[0].sites.push_back({stack, {}, 0}); }
    uint32_t location(uint32_t node) const { return model.stacks.nodes.location_of(node); }

    Model model;
    uint32_t main, f, a, b, again, g;
};

}  // namespace

TEST_CASE("callers of what sites use are used, and the outermost locations are known") {
    Program program;
    program.use(program.a);
    program.use(memtrace::no_stack);
    GpuRefusal refusal;
    refusal.stack = program.b;
    program.model.gpu.refusals.push_back(refusal);
    const UsedNodes used(program.model);
    for (const uint32_t node : {program.main, program.f, program.a, program.b}) {
        CHECK(used.has(node));
        CHECK(used.has_location(program.location(node)));
        CHECK(used.is_outermost(program.location(node)) == (node == program.main));
        const bool is_called_by_main = node == program.f || node == program.b;
        CHECK(used.is_second(program.location(node)) == is_called_by_main);
    }
    CHECK_FALSE(used.has(program.again));  // but its location is that of `a`
    CHECK_FALSE(used.has(program.g));
    CHECK_FALSE(used.has_location(program.location(program.g)));
}

TEST_CASE("a location is only in stacks with another one until a stack without it is used") {
    Program program;
    program.use(program.a);
    program.use(program.b);
    std::vector<uint8_t> locations(program.model.stacks.nodes.location_count());
    locations[program.location(program.f)] = 1;
    const auto only = UsedNodes(program.model).only_with(locations);
    CHECK(only[program.location(program.a)] == 1);
    CHECK(only[program.location(program.f)] == 1);
    CHECK(only[program.location(program.b)] == 0);
    CHECK(only[program.location(program.main)] == 0);  // main called b
    program.use(program.again);
    const auto then = UsedNodes(program.model).only_with(locations);
    CHECK(then[program.location(program.a)] == 0);
    CHECK(then[program.location(program.f)] == 1);
}
