// SPDX-License-Identifier: Apache-2.0
//
// Backward memory is joined with the stack that made the node. In all stories stack 2 is the
// forward operation, stack 4 belongs to the engine's node, and the engine is at 0x500.
#include "analyzer/replay/backward_join.h"

#include <fmt/format.h>

#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using test::load_story;
using test::space_named;

namespace {

constexpr const char* stacks = R"(
    node lane=0 id=1 module=1 address=0x101                # main
    node lane=0 id=2 parent=1 module=1 address=0x202       # forward
    node lane=0 id=3 parent=1 module=1 address=0x505       # the engine
    node lane=0 id=4 parent=3 module=1 address=0x404       # what the node does
    node lane=0 id=5 parent=4 module=1 address=0x455       # and further in
    node lane=0 id=6 parent=1 module=1 address=0x606       # another forward
    node lane=0 id=7 kind=truncated address=1
    node lane=0 id=8 parent=7 module=1 address=0x404       # a node's doing, cut
    autograd_engine lane=0 time=1 module=1 begin=0x500 end=0x540
)";

Model load(const std::string& story) {
    const Model model = load_story(stacks + story);
    CHECK(model.capture.anomalies == 0);
    CHECK(test::unequal_sums(model) == "");
    return model;
}

// Returns a site's stack as text, innermost first: addresses, and [type, forward stack] for
// backward entries.
std::string words_of(const Model& model, uint32_t stack) {
    std::string text;
    for (; stack != no_stack; stack = model.stacks.nodes[stack].parent) {
        const StackNode& node = model.stacks.nodes[stack];
        if (!text.empty()) text += ' ';
        if (node.backward == 0) {
            text += fmt::format("{:x}", node.address);
        } else {
            const Backward& backward = model.stacks.backwards.at(node.backward);
            text += fmt::format("[{:x} {}]", backward.type, backward.forward);
        }
    }
    return text;
}

// Returns the stacks of the sites with this many bytes.
std::vector<std::string> stacks_of(const Model& model, uint64_t bytes, const char* space = "host") {
    std::vector<std::string> found;
    for (const Site& site : space_named(model, space)->sites) {
        if (site.totals.allocated_bytes == bytes) found.push_back(words_of(model, site.stack));
    }
    return found;
}

using Words = std::vector<std::string>;

}  // namespace

TEST_CASE("an acquisition while a node runs has the stack that made the node", "[backward]") {
    const Model model = load(R"(
        acquire lane=0 time=10 stack=2 size=200 address=0x1000
        acquire lane=0 time=20 stack=4 size=7 address=0x2000     # before anything runs
        autograd_node lane=0 time=30 node_address=0x1000 type_address=0x9990 module=1
        acquire lane=0 time=31 stack=4 size=100 address=0x3000
        acquire lane=0 time=32 stack=5 size=50 address=0x4000
        autograd_node lane=0 time=40
        acquire lane=0 time=41 stack=4 size=70 address=0x5000
    )");
    CHECK(stacks_of(model, 100) == Words{"404 [9990 2] 505 101"});
    CHECK(stacks_of(model, 50) == Words{"455 404 [9990 2] 505 101"});
    CHECK(stacks_of(model, 77) == Words{"404 505 101"});
    CHECK(model.stacks.backwards.at(1).module == 1);
    CHECK(space_named(model, "host")->totals.allocated_bytes == 427);
    CHECK(model.capture.captures == 5);
}

TEST_CASE("a node may be a little behind the beginning of its block, or in none", "[backward]") {
    const Model model = load(R"(
        acquire lane=0 time=10 stack=2 size=200 address=0x1000
        autograd_node lane=0 time=30 node_address=0x1010 type_address=0x9990 module=1
        acquire lane=0 time=31 stack=4 size=100 address=0x3000
        autograd_node lane=0 time=40 node_address=0x10d0 type_address=0x9990 module=1
        acquire lane=0 time=41 stack=4 size=50 address=0x4000
    )");
    CHECK(stacks_of(model, 100) == Words{"404 [9990 2] 505 101"});
    CHECK(stacks_of(model, 50) == Words{"404 [9990 0] 505 101"});
}

TEST_CASE("the next node at the same address is another one, though the lane cannot know",
          "[backward]") {
    const Model model = load(R"(
        acquire lane=0 time=10 stack=2 size=200 address=0x1000
        autograd_node lane=1 time=20 node_address=0x1000 type_address=0x9990 module=1
        acquire lane=1 time=21 stack=4 size=100 address=0x3000
        release lane=0 time=30 address=0x1000
        acquire lane=0 time=31 stack=6 size=200 address=0x1000
        acquire lane=1 time=40 stack=4 size=50 address=0x4000
    )");
    CHECK(stacks_of(model, 100) == Words{"404 [9990 2] 505 101"});
    CHECK(stacks_of(model, 50) == Words{"404 [9990 6] 505 101"});
}

TEST_CASE("resizes, mappings and moved mappings go backward, too", "[backward]") {
    const Model model = load(R"(
        acquire lane=0 time=10 stack=2 size=200 address=0x1000
        acquire lane=0 time=11 stack=6 size=30 address=0x2000
        map lane=0 time=12 address=0x100000 size=4096 stack=6
        autograd_node lane=0 time=20 node_address=0x1000 type_address=0x9990 module=1
        resize lane=0 time=21 duration=2 old_address=0x2000 stack=4 size=100 address=0x3000
        map lane=0 time=30 address=0x200000 size=8192 stack=4
        remap lane=0 time=31 old_address=0x100000 old_size=4096 address=0x300000 size=9000 stack=4
        autograd_node lane=0 time=40
    )");
    CHECK(stacks_of(model, 100) == Words{"404 [9990 2] 505 101"});
    CHECK(stacks_of(model, 8192 + 9000, "mmap") == Words{"404 [9990 2] 505 101"});
    CHECK(stacks_of(model, 4096, "mmap") == Words{"606 101"});
}

TEST_CASE("a node that was made while another one ran knows that one", "[backward]") {
    const Model model = load(R"(
        acquire lane=0 time=10 stack=2 size=200 address=0x1000
        autograd_node lane=0 time=20 node_address=0x1000 type_address=0x9990 module=1
        acquire lane=0 time=21 stack=4 size=220 address=0x2000
        autograd_node lane=0 time=30 node_address=0x2000 type_address=0x9980 module=1
        acquire lane=0 time=31 stack=4 size=100 address=0x3000
    )");
    const std::vector<std::string> found = stacks_of(model, 100);
    REQUIRE(found.size() == 1);
    const Backward& outer = model.stacks.backwards.at(2);
    CHECK(outer.type == 0x9980);
    CHECK(words_of(model, outer.forward) == "404 [9990 2] 505 101");
}

TEST_CASE("where the engine is not in the stack it was cut off, or it is the engine's doing",
          "[backward]") {
    const Model model = load(R"(
        acquire lane=0 time=10 stack=2 size=200 address=0x1000
        autograd_node lane=0 time=20 node_address=0x1000 type_address=0x9990 module=1
        acquire lane=0 time=21 stack=8 size=100 address=0x2000
        acquire lane=0 time=22 stack=6 size=50 address=0x3000
        acquire lane=0 time=23 stack=3 size=25 address=0x4000
    )");
    CHECK(stacks_of(model, 100) == Words{"404 [9990 2] 1"});
    CHECK(stacks_of(model, 50) == Words{"[9990 2] 606 101"});
    CHECK(stacks_of(model, 25) == Words{"[9990 2] 505 101"});
    CHECK(model.capture.captures_truncated == 1);
}

TEST_CASE("a thread that takes the lane over runs nothing", "[backward]") {
    const Model model = load(R"(
        thread_start lane=1 time=5 tid=8
        acquire lane=0 time=10 stack=2 size=200 address=0x1000
        autograd_node lane=1 time=20 node_address=0x1000 type_address=0x9990 module=1
        acquire lane=1 time=21 stack=4 size=100 address=0x2000
        thread_start lane=1 time=30 tid=9
        acquire lane=1 time=31 stack=4 size=50 address=0x3000
    )");
    CHECK(stacks_of(model, 100) == Words{"404 [9990 2] 505 101"});
    CHECK(stacks_of(model, 50) == Words{"404 505 101"});
}
