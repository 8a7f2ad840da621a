// SPDX-License-Identifier: Apache-2.0
//
// Which records a lane gets about the node that its thread runs, and when.
#include "preload/stack/autograd_node.h"

#include <fmt/format.h>

#include "analyzer/reader/dump_text.h"
#include "tests/unit/preload/stack/made_autograd.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;
using memtrace::test::MadeAutograd;

namespace {

// A stack as just walked: `pcs` from the outermost frame to the innermost, the first `kept`
// unchanged.
struct MadeStack {
    explicit MadeStack(std::initializer_list<uint64_t> pcs, uint32_t kept = 0) {
        for (const uint64_t pc : pcs) frames[memo.length++].pc = pc;
        memo.frames = frames;
        memo.kept = kept;
    }
    StackFrame frames[8] = {};
    StackMemo memo;
};

// Returns the addresses of the nodes that the dump names, in order.
std::vector<std::string> nodes_said(const test::TestRecording& recording) {
    std::string text;
    analyzer::write_dump_text(recording.path(), [&](std::string_view piece) { text += piece; });
    std::vector<std::string> said;
    for (size_t at = 0; (at = text.find("autograd_node ", at)) != std::string::npos; ++at) {
        const size_t from = text.find("node_address=", at) + 13;
        said.push_back(text.substr(from, text.find(' ', from) - from));
    }
    return said;
}

std::string hex(const void* address) {
    return fmt::format("{:#x}", reinterpret_cast<uint64_t>(address));
}

}  // namespace

TEST_CASE("a thread is asked once its stack goes through the engine, and from then on",
          "[autograd_node]") {
    const test::TestRecording recording;
    const MadeAutograd made;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    const test::MadeNode first, second;
    const test::OtherNode other;
    const MadeStack forward{{0x10, 0x30}};
    const MadeStack backward{{0x10, made.engine() + 5, 0x30}};
    MadeAutograd::run(&first);
    note_autograd_node(lane, lane.autograd(), &backward.memo);  // no engine is known yet
    made.adopt(lane);
    note_autograd_node(lane, lane.autograd(), &forward.memo);
    CHECK(nodes_said(recording).empty());
    note_autograd_node(lane, lane.autograd(), &backward.memo);
    note_autograd_node(lane, lane.autograd(), &backward.memo);  // in the lane already
    MadeAutograd::run(&second);
    note_autograd_node(lane, lane.autograd(), &forward.memo);
    MadeAutograd::run(&other);
    const StackMemo* const not_walked = nullptr;
    note_autograd_node(lane, lane.autograd(), not_walked);  // and known nevertheless
    MadeAutograd::run(nullptr);
    note_autograd_node(lane, lane.autograd(), &forward.memo);
    note_autograd_node(lane, lane.autograd(), &forward.memo);
    CHECK(nodes_said(recording) ==
          std::vector<std::string>{hex(&first), hex(&second), hex(&other), "0x0"});
}

TEST_CASE("frames that the walk kept are not looked at again", "[autograd_node]") {
    const test::TestRecording recording;
    const MadeAutograd made;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    made.adopt(lane);
    const test::MadeNode node;
    MadeAutograd::run(&node);
    const MadeStack kept({0x10, made.engine() + 5, 0x30}, 2);
    note_autograd_node(lane, lane.autograd(), &kept.memo);
    const MadeStack behind{{0x10, made.engine() + MadeAutograd::engine_bytes, 0x30}};
    note_autograd_node(lane, lane.autograd(), &behind.memo);
    CHECK(nodes_said(recording).empty());
    const MadeStack fresh({0x10, made.engine() + 5, 0x30}, 1);
    note_autograd_node(lane, lane.autograd(), &fresh.memo);
    CHECK(nodes_said(recording).size() == 1);
}

TEST_CASE("a node of another class at the same address is another node", "[autograd_node]") {
    const test::TestRecording recording;
    const MadeAutograd made;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    made.adopt(lane);
    const MadeStack backward{{made.engine() + 5}};
    alignas(test::MadeNode) unsigned char place[sizeof(test::MadeNode)];
    auto* node = new (place) test::MadeNode;
    MadeAutograd::run(node);
    note_autograd_node(lane, lane.autograd(), &backward.memo);
    node->~MadeNode();
    MadeAutograd::run(new (place) test::OtherNode);
    note_autograd_node(lane, lane.autograd(), &backward.memo);
    CHECK(nodes_said(recording) == std::vector<std::string>{hex(place), hex(place)});
}

TEST_CASE("what turns out to be no node ends it, and the last word is that none runs",
          "[autograd_node]") {
    const test::TestRecording recording;
    const MadeAutograd made;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    made.adopt(lane);
    const MadeStack backward{{made.engine() + 5}};
    const test::MadeNode node;
    MadeAutograd::run(&node);
    note_autograd_node(lane, lane.autograd(), &backward.memo);
    const uint64_t rubbish[2] = {3, 4};
    MadeAutograd::run(reinterpret_cast<const test::MadeNode*>(rubbish));
    note_autograd_node(lane, lane.autograd(), &backward.memo);
    MadeAutograd::run(&node);
    note_autograd_node(lane, lane.autograd(), &backward.memo);
    CHECK(nodes_said(recording) == std::vector<std::string>{hex(&node), "0x0"});
    CHECK(autograd_state() == AutogradState::off);
}
