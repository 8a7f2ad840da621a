// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/stack_ids.h"

#include <vector>

#include "tests/unit/preload/recording/recording.h"
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
            paths.push_back(path = stack_hash(path, words.back()));
        }
    }
    MergedStack stack() {
        MergedStack stack;
        stack.words = words.data();
        stack.paths = paths.data();
        stack.ids = ids.data();
        stack.length = static_cast<uint32_t>(ids.size());
        return stack;
    }
};

}  // namespace

TEST_CASE("stacks that begin alike share the nodes of their outer frames", "[stack_parts]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    const StackMemo complete;
    Elements one({0x1000, 0x2000, 0x3000});
    Elements other({0x1000, 0x2000, 0x4000});
    MergedStack stack = one.stack();
    name_elements(lane, stack, 0, complete);
    CHECK(node_count() == 3);
    stack = other.stack();
    name_elements(lane, stack, 0, complete);
    CHECK(other.ids[1] == one.ids[1]);
    CHECK(other.ids[2] != one.ids[2]);
    CHECK(node_count() == 4);
}

TEST_CASE("what is named already is not named again", "[stack_parts]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    const StackMemo complete;
    Elements whole({0x1000, 0x2000, 0x3000, 0x4000});
    MergedStack stack = whole.stack();
    name_elements(lane, stack, 0, complete);
    Elements inner = whole;
    inner.ids[2] = inner.ids[3] = 0;
    stack = inner.stack();
    name_elements(lane, stack, 2, complete);
    CHECK(inner.ids == whole.ids);
}

TEST_CASE("a stack that is cut says where and why, and the same one each time", "[stack_parts]") {
    const test::TestRecording recording;
    ThreadLane& lane = *ThreadLane::of_this_thread();
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
    find_hashes(stack, StackEnd::complete, 1);
    CHECK(asked.paths == known.paths);
    std::fill(asked.paths.begin(), asked.paths.end(), 0);
    find_hashes(stack, StackEnd::no_data, 0);
    CHECK(asked.paths[2] != 0);
    CHECK(asked.paths[2] != known.paths[2]);
}
