// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/stack_table.h"

#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// A node and the hash of the path to it, which its children need.
struct Found {
    uint32_t id = no_stack;
    uint64_t path = root_hash(stack_table_generation());
};

Found below(Lane& lane, const Found& parent, uint64_t address, NodeKind kind = NodeKind::native) {
    const uint64_t path = stack_hash(parent.path, address, kind);
    return {find_or_add_node(lane, parent.id, address, kind, path), path};
}

// Meets the stacks [begin, end) of one frame. Returns their ids.
std::vector<uint32_t> meet(Lane& lane, uint64_t begin, uint64_t end) {
    std::vector<uint32_t> ids;
    for (uint64_t i = begin; i < end; ++i) ids.push_back(below(lane, {}, i * 8).id);
    return ids;
}

}  // namespace

TEST_CASE("the same frame below the same parent is one node", "[stack_table]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    const Found main_node = below(lane, {}, 0x1000);
    const Found a = below(lane, main_node, 0x2000);
    CHECK(below(lane, main_node, 0x2000).id == a.id);
    CHECK(below(lane, a, 0x2000).id != a.id);
    CHECK(below(lane, main_node, 0x2000, NodeKind::truncated).id != a.id);
}

TEST_CASE("nodes that were met lately keep their ids", "[stack_table]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    const std::vector<uint32_t> ids = meet(lane, 1, 30'000);
    CHECK(std::set<uint32_t>(ids.begin(), ids.end()).size() == ids.size());
    CHECK(meet(lane, 20'000, 30'000) == std::vector(ids.begin() + 19'999, ids.end()));
}

TEST_CASE("a node that comes again and again outlives many that come once", "[stack_table]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    const Found usual = below(lane, {}, 0x1000);
    unsigned changed = 0;
    for (uint64_t round = 1; round <= 200; ++round) {
        meet(lane, round * 10'000, round * 10'000 + 2'000);
        changed += below(lane, {}, 0x1000).id != usual.id;
    }
    CHECK(changed == 0);
}

TEST_CASE("a program that only meets new stacks has small tables", "[stack_table]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    for (uint64_t begin = 1; begin < 1'000'000; begin += 50'000) {
        meet(lane, begin, begin + 50'000);
        REQUIRE(stack_table_bytes() <= 2 * (uint64_t{1} << 20));
    }
}

TEST_CASE("a program that needs larger tables gets them, up to a limit", "[stack_table]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    constexpr uint64_t stacks = 150'000;
    std::vector<uint32_t> last, ids;
    for (int round = 0; round < 8; ++round) {
        last = std::exchange(ids, meet(lane, 1, stacks));
    }
    unsigned changed = 0;
    for (size_t i = 0; i < ids.size(); ++i) changed += ids[i] != last[i];
    CHECK(changed < stacks / 50);
    meet(lane, 1, 4 * stacks);
    meet(lane, 1, 4 * stacks);
    CHECK(stack_table_bytes() <= stack_table_bytes_max);
}

TEST_CASE("every id that a thread gets is defined in the dump with its parent", "[stack_table]") {
    const test::TestRecording recording;
    constexpr uint64_t depth = 40;
    constexpr uint64_t stacks = 2'000;
    std::vector<std::vector<uint32_t>> seen(4);
    std::vector<std::thread> threads;
    for (auto& mine : seen) {
        threads.emplace_back([&mine] {
            ThreadLane& lane = *ThreadLane::of_this_thread();
            for (uint64_t s = 0; s < stacks; ++s) {
                Found node{};
                for (uint64_t d = 0; d < depth; ++d) {
                    node = below(lane, node, 0x1000 + d * 64 + (s >> d & 1) * 8);
                }
                mine.push_back(node.id);
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

TEST_CASE("nodes are not found again in another generation", "[stack_table]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    const Found gone = below(lane, {}, 0x5008);
    const Found gone_inside = below(lane, gone, 0x9008);
    forget_nodes();
    const Found now = below(lane, {}, 0x5008);
    CHECK(now.id != gone.id);
    CHECK(below(lane, now, 0x9008).id != gone_inside.id);
    CHECK(below(lane, {}, 0x5008).id == now.id);
}

TEST_CASE("what is forgotten while other threads add nodes stays forgotten", "[stack_table]") {
    constexpr uint64_t stacks = 2'000;
    unsigned found_again = 0;
    for (uint64_t round = 1; round <= 20; ++round) {
        const test::TestRecording recording;
        ThreadLane& lane = *ThreadLane::of_this_thread();
        const std::vector<uint32_t> ids = meet(lane, 1, stacks);
        std::thread others([round] { meet(*ThreadLane::of_this_thread(), stacks, round * 3'000); });
        forget_nodes();
        others.join();
        const std::vector<uint32_t> again = meet(lane, 1, stacks);
        for (size_t i = 0; i < ids.size(); ++i) found_again += again[i] == ids[i];
    }
    CHECK(found_again == 0);
}
