// SPDX-License-Identifier: Apache-2.0
#include "preload/stack_table.h"

#include <set>
#include <thread>
#include <vector>

#include "tests/unit/preload/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

TEST_CASE("the same frame below the same parent is one node", "[stack_table]") {
    const test::TestRecording recording;
    Lane& lane = *Lane::of_this_thread();
    const uint32_t main_node = find_or_add_node(lane, no_stack, 0x1000, NodeKind::native);
    const uint32_t a = find_or_add_node(lane, main_node, 0x2000, NodeKind::native);
    CHECK(find_or_add_node(lane, main_node, 0x2000, NodeKind::native) == a);
    CHECK(find_or_add_node(lane, a, 0x2000, NodeKind::native) != a);
    CHECK(find_or_add_node(lane, main_node, 0x2000, NodeKind::truncated) != a);
}

TEST_CASE("the table grows, and what it knew it still knows", "[stack_table]") {
    const test::TestRecording recording;
    Lane& lane = *Lane::of_this_thread();
    std::vector<uint32_t> ids;
    for (uint64_t i = 1; i <= 60'000; ++i) {
        ids.push_back(find_or_add_node(lane, no_stack, i * 8, NodeKind::native));
    }
    CHECK(std::set<uint32_t>(ids.begin(), ids.end()).size() == ids.size());
    unsigned forgotten = 0;
    for (uint64_t i = 1; i <= ids.size(); ++i) {
        forgotten += find_or_add_node(lane, no_stack, i * 8, NodeKind::native) != ids[i - 1];
    }
    CHECK(forgotten == 0);
}

TEST_CASE("every id that a thread gets is defined in the dump with its parent", "[stack_table]") {
    const test::TestRecording recording;
    constexpr uint64_t depth = 40;
    constexpr uint64_t stacks = 2'000;
    std::vector<std::vector<uint32_t>> seen(4);
    std::vector<std::thread> threads;
    for (auto& mine : seen) {
        threads.emplace_back([&mine] {
            Lane& lane = *Lane::of_this_thread();
            for (uint64_t s = 0; s < stacks; ++s) {
                uint32_t node = no_stack;
                for (uint64_t d = 0; d < depth; ++d) {
                    node = find_or_add_node(lane, node, 0x1000 + d * 64 + (s >> d & 1) * 8,
                                            NodeKind::native);
                }
                mine.push_back(node);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    const analyzer::Model model = recording.read();
    unsigned wrong = 0;
    for (const auto& mine : seen) {
        for (uint64_t s = 0; s < stacks; ++s) {
            uint32_t node = mine[s];
            for (uint64_t d = depth; d-- > 0;) {
                const analyzer::StackNode& found = model.stacks.nodes.at(node);
                wrong += !found.defined || found.address != 0x1000 + d * 64 + (s >> d & 1) * 8;
                node = found.parent;
            }
            wrong += node != no_stack;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("nodes of an unloaded module are not found again", "[stack_table]") {
    const test::TestRecording recording;
    Lane& lane = *Lane::of_this_thread();
    const uint32_t gone = find_or_add_node(lane, no_stack, 0x5008, NodeKind::native);
    const uint32_t kept = find_or_add_node(lane, no_stack, 0x9008, NodeKind::native);
    forget_nodes(0x5000, 0x6000);
    CHECK(find_or_add_node(lane, no_stack, 0x5008, NodeKind::native) != gone);
    CHECK(find_or_add_node(lane, no_stack, 0x9008, NodeKind::native) == kept);
}
