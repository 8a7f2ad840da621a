// SPDX-License-Identifier: Apache-2.0
#include "preload/stack_parts.h"

#include <vector>

#include "preload/chains.h"
#include "tests/unit/preload/recording.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;

namespace {

// Frames at these addresses, outermost first.
struct Elements {
    std::vector<uint64_t> words;
    std::vector<uint64_t> paths;
    std::vector<uint32_t> ids;

    explicit Elements(const std::vector<uint64_t>& addresses) : ids(addresses.size()) {
        uint64_t path = 0;
        for (const uint64_t address : addresses) {
            words.push_back(node_word(address, NodeKind::native));
            paths.push_back(path = path_hash(path, words.back()));
        }
    }
    StackPart part() {
        return {words.data(), paths.data(), ids.data(), static_cast<uint32_t>(ids.size())};
    }
};

Lane& lane_of_this_thread() {
    Lane& lane = *Lane::of_this_thread();
    REQUIRE(lane.stacks().chains.has_lines());
    return lane;
}

}  // namespace

TEST_CASE("a part is new once, and then a chain knows it", "[stack_parts]") {
    const test::TestRecording recording;
    Lane& lane = lane_of_this_thread();
    Elements first({0x1000, 0x2000, 0x3000});
    CHECK_FALSE(name_part(lane, first.part(), no_stack, true));
    CHECK(node_count() == 3);
    Elements again({0x1000, 0x2000, 0x3000});
    CHECK(name_part(lane, again.part(), no_stack, true));
    CHECK(again.ids == first.ids);
    CHECK(node_count() == 3);
}

TEST_CASE("parts that begin alike share the nodes of their outer frames", "[stack_parts]") {
    const test::TestRecording recording;
    Lane& lane = lane_of_this_thread();
    Elements one({0x1000, 0x2000, 0x3000});
    Elements other({0x1000, 0x2000, 0x4000});
    name_part(lane, one.part(), no_stack, true);
    CHECK_FALSE(name_part(lane, other.part(), no_stack, true));
    CHECK(other.ids[1] == one.ids[1]);
    CHECK(other.ids[2] != one.ids[2]);
    CHECK(node_count() == 4);
}

TEST_CASE("a stack that is cut says where and why, and the same one each time",
          "[stack_parts]") {
    const test::TestRecording recording;
    Lane& lane = lane_of_this_thread();
    const uint32_t nested = name_cut(lane, Cut::nested, 0x1000);
    CHECK(name_cut(lane, Cut::nested, 0x1000) == nested);
    CHECK(name_cut(lane, Cut::nested, 0x2000) != nested);
    CHECK(name_cut(lane, Cut::disabled, 0x1000) != nested);
}

TEST_CASE("paths are found from where they are known, and tell what the stack ends at",
          "[stack_parts]") {
    Elements known({0x1000, 0x2000, 0x3000});
    Elements asked({0x1000, 0x2000, 0x3000});
    std::fill(asked.paths.begin() + 1, asked.paths.end(), 0);
    MergedStack stack;
    stack.words = asked.words.data();
    stack.paths = asked.paths.data();
    stack.length = 3;
    find_paths(stack, StackEnd::complete, 1);
    CHECK(asked.paths == known.paths);
    std::fill(asked.paths.begin(), asked.paths.end(), 0);
    find_paths(stack, StackEnd::no_data, 0);
    CHECK(asked.paths[2] != 0);
    CHECK(asked.paths[2] != known.paths[2]);
}
