// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/stack_table.h"

#include <set>
#include <thread>
#include <vector>

#include "tests/unit/preload/recording/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// A node and the hash of the path to it, which its children need.
struct Found {
    uint32_t id = no_stack;
    uint64_t path = 0;
};

Found below(Lane& lane, const Found& parent, uint64_t address, NodeKind kind = NodeKind::native) {
    const uint64_t path = stack_hash(parent.path, address, kind);
    return {find_or_add_node(lane, parent.id, address, kind, path), path};
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

TEST_CASE("the table grows, and what it knew it still knows", "[stack_table]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    std::vector<uint32_t> ids;
    for (uint64_t i = 1; i <= 60'000; ++i) {
        ids.push_back(below(lane, {}, i * 8).id);
    }
    CHECK(std::set<uint32_t>(ids.begin(), ids.end()).size() == ids.size());
    unsigned forgotten = 0;
    for (uint64_t i = 1; i <= ids.size(); ++i) {
        forgotten += below(lane, {}, i * 8).id != ids[i - 1];
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
            ThreadLane& lane = *ThreadLane::of_this_thread();
            for (uint64_t s = 0; s < stacks; ++s) {
                Found node;
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

TEST_CASE("nodes of an unloaded module are not found again", "[stack_table]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    const Found gone = below(lane, {}, 0x5008);
    const Found kept = below(lane, {}, 0x9008);
    const Found gone_in_kept = below(lane, kept, 0x5010);
    const Found kept_in_kept = below(lane, kept, 0x9010);
    forget_nodes(0x5000, 0x6000);
    CHECK(below(lane, {}, 0x5008).id != gone.id);
    CHECK(below(lane, {}, 0x9008).id == kept.id);
    CHECK(below(lane, kept, 0x5010).id != gone_in_kept.id);
    CHECK(below(lane, kept, 0x9010).id == kept_in_kept.id);
}

TEST_CASE("what is forgotten while the table grows stays forgotten", "[stack_table]") {
    constexpr uint64_t unloaded_begin = 0x50000000;
    constexpr uint64_t unloaded = 2'000;
    unsigned found_again = 0;
    for (uint64_t round = 1; round <= 20; ++round) {
        const test::TestRecording recording;
        ThreadLane& lane = *ThreadLane::of_this_thread();
        std::vector<uint32_t> ids;
        for (uint64_t i = 0; i < unloaded; ++i) {
            ids.push_back(below(lane, {}, unloaded_begin + i * 8 + 8).id);
        }
        std::thread others([round] {
            Lane& its = *ThreadLane::of_this_thread();
            for (uint64_t i = 1; i <= round * 3'000; ++i) below(its, {}, i * 8);
        });
        forget_nodes(unloaded_begin, unloaded_begin + unloaded * 8);
        others.join();
        for (uint64_t i = 0; i < unloaded; ++i) {
            found_again += below(lane, {}, unloaded_begin + i * 8 + 8).id == ids[i];
        }
    }
    CHECK(found_again == 0);
}

TEST_CASE("a path tells its innermost frame to who knows the path outside of it", "[stack_table]") {
    uint64_t outside = 0;
    for (uint64_t address = 0x7fff00000000; address < 0x7fff00000200; address += 3) {
        const uint64_t path = stack_hash(outside, address, NodeKind::guessed);
        CHECK(path_word(outside, path) ==
              (address | static_cast<uint64_t>(NodeKind::guessed) << 48));
        outside = path;
    }
}

TEST_CASE("a table of a million nodes takes at most 24 bytes a node", "[stack_table]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    Found node;
    for (uint64_t i = 1; i <= 1'000'000; ++i) {
        node = below(lane, i % 40 == 0 ? Found{} : node, 0x1000 + i * 4);
        if (i >= 20'000 && i % 1'000 == 0) REQUIRE(stack_table_bytes() <= i * 24 + 64 * 1024);
    }
}
