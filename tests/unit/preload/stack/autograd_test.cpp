// SPDX-License-Identifier: Apache-2.0
//
// A library with an engine is found, and its accessor is decoded. Anything unexpected switches
// autograd off, with a sentence in the dump.
#include "preload/stack/autograd.h"

#include "preload/base/options.h"
#include "tests/unit/preload/stack/made_autograd.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::preload;
using memtrace::test::MadeAutograd;

namespace {

// Returns the reason in the dump why nothing is joined; empty if there is none.
std::string why_off(const test::TestRecording& recording) {
    for (const analyzer::NoteInfo& note : recording.read().notes) {
        if (note.subject == "autograd") return note.text;
    }
    return "";
}

}  // namespace

TEST_CASE("the accessor is what get_current_node() calls through", "[autograd]") {
    // push %rbp; push %rbx; mov %rdi,%rbx; sub $8,%rsp; call *0x10(%rip): PyTorch 2.13
    const uint8_t code[32] = {0x55, 0x53, 0x48, 0x89, 0xfb, 0x48, 0x83, 0xec,
                              0x08, 0xff, 0x15, 0x10, 0,    0,    0};
    CHECK(find_accessor(code) == reinterpret_cast<uint64_t>(code) + 15 + 0x10);
    const uint8_t backward[32] = {0x53, 0xff, 0x15, 0xf0, 0xff, 0xff, 0xff};
    CHECK(find_accessor(backward) == reinterpret_cast<uint64_t>(backward) + 7 - 0x10);
}

TEST_CASE("code of another shape has no accessor", "[autograd]") {
    const uint8_t direct[32] = {0x53, 0xe8, 0, 0, 0, 0, 0x5b, 0xc3, 0xff, 0x15};  // behind its end
    CHECK(find_accessor(direct) == 0);
    const uint8_t second[32] = {0x53, 0xe8, 0, 0, 0, 0, 0xff, 0x15};  // not its first call
    CHECK(find_accessor(second) == 0);
    uint8_t late[64] = {};
    late[31] = 0xff;
    late[32] = 0x15;
    CHECK(find_accessor(late) == 0);
}

TEST_CASE("an engine is written down once in each dump", "[autograd]") {
    const MadeAutograd made;
    {
        const test::TestRecording recording;
        ThreadLane& lane = *ThreadLane::of_this_thread();
        made.adopt(lane);
        CHECK(autograd_state() == AutogradState::validating);
        const uint64_t once = lane.ring().head();
        made.adopt(lane, {.engine = 0x5000, .engine_bytes = 1, .get_current_node = 0});
        CHECK(lane.ring().head() == once);  // another engine: the first counts
        CHECK(why_off(recording) == "");
    }
    const test::TestRecording recording_of_child;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    const uint64_t before = lane.ring().head();
    made.adopt(lane);
    CHECK(lane.ring().head() > before);
}

TEST_CASE("a thread's variable is what the accessor returns, once there is one", "[autograd]") {
    const test::TestRecording recording;
    MadeAutograd made;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    made.adopt(lane);
    made.library().accessor = nullptr;
    CHECK(find_current_node(lane) == 0);
    CHECK(autograd_state() == AutogradState::validating);
    made.library().accessor = MadeAutograd::accessor;
    CHECK(find_current_node(lane) == made.variable());
}

TEST_CASE("three nodes that look like nodes are enough, one that does not is too much",
          "[autograd]") {
    const test::TestRecording recording;
    const MadeAutograd made;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    made.adopt(lane);
    const test::MadeNode nodes[3];
    for (int i = 0; i < 9; ++i) CHECK(type_of_node(lane, test::address_of(&nodes[0])) != 0);
    CHECK(autograd_state() == AutogradState::validating);  // always the same node
    CHECK(type_of_node(lane, test::address_of(&nodes[1])) == test::type_of(nodes[0]));
    CHECK(type_of_node(lane, test::address_of(&nodes[2])) == test::type_of(nodes[0]));
    CHECK(autograd_state() == AutogradState::on);
    forget_autograd(0, ~uint64_t{0});
    CHECK(autograd_state() == AutogradState::none);
    made.adopt(lane);
    const uint64_t no_node[2] = {0x1234568, 0};
    CHECK(type_of_node(lane, test::address_of(no_node)) == 0);
    CHECK(autograd_state() == AutogradState::off);
    CHECK_THAT(why_off(recording), Catch::Matchers::Contains("what should be a node is none"));
}

TEST_CASE("what has an engine and is not understood is switched off, and says so", "[autograd]") {
    const test::TestRecording recording;
    const MadeAutograd made;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    made.adopt(lane, {.engine = made.engine(), .engine_bytes = 100, .get_current_node = 0});
    CHECK(autograd_state() == AutogradState::off);
    CHECK_THAT(why_off(recording), Catch::Matchers::Contains("does not say which node runs"));
    forget_autograd(0, ~uint64_t{0});
    const uint8_t other[32] = {0x53, 0xe8, 0, 0, 0, 0, 0x5b, 0xc3};
    made.adopt(lane, {made.engine(), 100, test::address_of(other)});
    CHECK(autograd_state() == AutogradState::off);
}

TEST_CASE("a call through data that is sealed after the start is to some function", "[autograd]") {
    const test::TestRecording recording;
    MadeAutograd made;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    const uint64_t at = test::address_of(&made.library().accessor);
    AutogradSymbols symbols = {made.engine(), 100, test::address_of(made.library().code)};
    symbols.sealed_begin = at;
    symbols.sealed_end = at + 8;
    made.adopt(lane, symbols);
    CHECK(autograd_state() == AutogradState::off);
    CHECK_THAT(why_off(recording), Catch::Matchers::Contains("does not look as it is known to"));
}

TEST_CASE("an accessor that is not the library's own is not called", "[autograd]") {
    const test::TestRecording recording;
    MadeAutograd made;
    ThreadLane& lane = *ThreadLane::of_this_thread();
    made.adopt(lane);
    made.library().accessor = reinterpret_cast<uint64_t (*)()>(0x10);
    CHECK(find_current_node(lane) == 0);
    CHECK(autograd_state() == AutogradState::off);
    CHECK_THAT(why_off(recording), Catch::Matchers::Contains("by a function elsewhere"));
}
