// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_walker.h"

#include <random>
#include <vector>

#include "tests/unit/preload/python/made_python.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::test::MadePython;

namespace {

// Walkers stay forever.
PythonWalker& new_walker() { return *new PythonWalker; }

void turn_on() {
    for (const uint64_t hash : {1u, 3u, 5u}) note_valid_python_stack(hash);
    REQUIRE(python_state() == PythonState::on);
}

std::vector<uint64_t> addresses(const PythonStack& stack) {
    std::vector<uint64_t> found;
    for (uint32_t i = 0; i < stack.length; ++i) found.push_back(stack.frames[i].frame);
    return found;
}

}  // namespace

TEST_CASE("without Python there is no stack, and it is said why", "[python_walk]") {
    PythonWalker& walker = new_walker();
    forget_python();
    CHECK(walker.walk().status == PythonStackStatus::none);
    MadePython made(12);
    CHECK(walker.walk().status == PythonStackStatus::empty);
    MadePython::thread_state = 0;
    CHECK(walker.walk().status == PythonStackStatus::no_thread_state);
    switch_python_off("for a test");
    CHECK(walker.walk().status == PythonStackStatus::off);
}

TEST_CASE("the first walks are made with care, and one surprise ends it", "[python_walk]") {
    MadePython made(12);
    PythonWalker& walker = new_walker();
    const uint64_t code = made.code("f", "f.py");
    for (int32_t i = 0; i < 3; ++i) {
        CHECK(python_state() == PythonState::validating);
        made.push(code, i, true);
        const PythonStack stack = walker.walk();
        CHECK(stack.status == PythonStackStatus::ok);
        CHECK(stack.length == static_cast<uint32_t>(i) + 1);
        CHECK(stack.kept == 0);
    }
    CHECK(python_state() == PythonState::on);
    const MadePython other(12);
    const uint64_t wrong = made.code("f", "f.py");
    made.put(wrong + 8, 8);
    MadePython spoilt(12);
    spoilt.push(wrong, 0, true);
    CHECK(walker.walk().status == PythonStackStatus::off);
    CHECK(python_state() == PythonState::off);
}

TEST_CASE("what is kept of a stack is what did not change", "[python_walk]") {
    FreedCodes::pretend_to_watch(true);
    for (const uint32_t minor : {8u, 10u, 11u, 12u}) {
        MadePython made(minor);
        turn_on();
        PythonWalker& walker = new_walker();
        const uint64_t code = made.code("f", "f.py");
        std::vector<uint64_t> pushed;
        for (int32_t i = 0; i < 6; ++i) pushed.push_back(made.push(code, i, i == 0));
        CHECK(walker.walk().kept == 0);
        PythonStack stack = walker.walk();
        CHECK(stack.kept == 6);
        CHECK(addresses(stack) == pushed);
        made.set_index(pushed[4], code, 50);
        stack = walker.walk();
        CHECK(stack.kept == 4);
        CHECK(addresses(stack) == pushed);
        pushed.push_back(made.push(code, 7, true));
        stack = walker.walk();
        CHECK(stack.kept == 6);
        CHECK(addresses(stack) == pushed);
        FreedCodes::note(code);
        CHECK(walker.walk().kept == 0);
        CHECK(walker.walk().kept == 7);
        walker.forget();
        CHECK(walker.walk().kept == 0);
    }
    FreedCodes::pretend_to_watch(false);
}

TEST_CASE("where freed code is not seen nothing is kept", "[python_walk]") {
    MadePython made(12);
    turn_on();
    PythonWalker& walker = new_walker();
    made.push(made.code("f", "f.py"), 1, true);
    for (int i = 0; i < 3; ++i) CHECK(walker.walk().kept == 0);
}

TEST_CASE("the same frames in another loop are other frames", "[python_walk]") {
    FreedCodes::pretend_to_watch(true);
    for (const uint32_t minor : {10u, 11u, 12u}) {
        MadePython made(minor);
        turn_on();
        PythonWalker& walker = new_walker();
        const uint64_t code = made.code("f", "f.py");
        made.push(code, 1, true);
        const uint64_t inner = made.push(code, 2, true);
        walker.walk();
        const uint64_t before = walker.walk().frames[1].anchor;
        // As if the loop had been entered from deeper down the C stack.
        uint64_t place[16];
        std::memcpy(place, reinterpret_cast<const void*>(before), sizeof place);
        const auto loop = reinterpret_cast<uint64_t>(place);
        if (minor == 12) {
            made.put(inner + made.layout.frame_back, loop);
        } else {
            made.put(MadePython::thread_state + made.layout.thread_cframe, loop);
        }
        const PythonStack stack = walker.walk();
        CHECK(stack.kept == 1);
        CHECK(stack.frames[1].anchor == loop);
        CHECK(walker.walk().kept == 2);
    }
    FreedCodes::pretend_to_watch(false);
}

TEST_CASE("the innermost frames of a stack that is too deep", "[python_walk]") {
    FreedCodes::pretend_to_watch(true);
    MadePython made(12);
    turn_on();
    PythonWalker& walker = new_walker();
    const uint64_t code = made.code("f", "f.py");
    std::vector<uint64_t> pushed;
    for (uint32_t i = 0; i < PythonWalker::depth_max; ++i) {
        pushed.push_back(made.push(code, 1, i == 0));
    }
    CHECK(walker.walk().status == PythonStackStatus::ok);
    for (int i = 0; i < 3; ++i) {
        pushed.push_back(made.push(code, 1, false));
        const PythonStack stack = walker.walk();
        CHECK(stack.status == PythonStackStatus::truncated);
        CHECK(addresses(stack) ==
              std::vector<uint64_t>(pushed.end() - PythonWalker::depth_max, pushed.end()));
        const PythonStack again = walker.walk();
        CHECK(again.status == PythonStackStatus::truncated);
        CHECK(again.kept == PythonWalker::depth_max);
    }
    FreedCodes::pretend_to_watch(false);
}

TEST_CASE("while another thread ends the interpreter nothing is read", "[python_walk]") {
    MadePython made(11);
    turn_on();
    PythonWalker& walker = new_walker();
    made.push(made.code("f", "f.py"), 1, true);
    made.set_finalizer(MadePython::thread_state);
    CHECK(walker.walk().status == PythonStackStatus::ok);
    made.set_finalizer(0x1000);
    CHECK(walker.walk().status == PythonStackStatus::finalizing);
    made.set_finalizer(0);
    CHECK(walker.walk().status == PythonStackStatus::finalizing);  // Its state is gone.
    PythonWalkFlag::lower_all();
}

TEST_CASE("a walk that remembers finds what one finds that does not", "[python_walk]") {
    FreedCodes::pretend_to_watch(true);
    std::mt19937 random(1);
    for (const uint32_t minor : {8u, 10u, 12u}) {
        MadePython made(minor);
        turn_on();
        PythonWalker& walker = new_walker();
        PythonWalker& forgetful = new_walker();
        const uint64_t codes[] = {made.code("f", "f.py"), made.code("g", "g.py")};
        std::vector<uint64_t> pushed;
        std::vector<PythonFrame> last;
        for (int round = 0; round < 3000; ++round) {
            const auto index = static_cast<int32_t>(random() % 90);
            if (pushed.size() < 30 && (pushed.size() < 2 || random() % 2 == 0)) {
                const bool in_new_loop = pushed.empty() || minor != 12;
                pushed.push_back(made.push(codes[random() % 2], index, in_new_loop));
                if (minor == 10 && round > 200) break;  // In this version each frame has a loop.
            } else if (random() % 3 == 0) {
                if (minor == 10) continue;
                made.pop_within_loop();
                pushed.pop_back();
            } else {
                const uint64_t frame = pushed[random() % pushed.size()];
                const uint64_t code = made.get(frame + made.layout.frame_code);
                made.set_index(frame, code, index);
            }
            const PythonStack stack = walker.walk();
            CHECK(addresses(stack) == pushed);
            forgetful.forget();
            const PythonStack again = forgetful.walk();
            REQUIRE(again.length == stack.length);
            for (uint32_t i = 0; i < stack.length; ++i) {
                const PythonFrame& frame = stack.frames[i];
                const PythonFrame& other = again.frames[i];
                REQUIRE((frame.frame == other.frame && frame.code == other.code &&
                         frame.instruction == other.instruction && frame.anchor == other.anchor));
                if (i >= stack.kept) continue;
                REQUIRE((last[i].frame == frame.frame && last[i].code == frame.code &&
                         last[i].instruction == frame.instruction));
            }
            last.assign(stack.frames, stack.frames + stack.length);
        }
    }
    FreedCodes::pretend_to_watch(false);
}

TEST_CASE("a thread that the interpreter's end overtook has frames that are not known",
          "[python_walk]") {
    PythonWalkFlag::lower_all();
    MadePython made(11);
    turn_on();
    PythonWalker& overtaken = new_walker();
    PythonWalker& finisher = new_walker();
    for (PythonWalker* walker : {&overtaken, &finisher}) walker->forget_thread();
    made.push(made.code("f", "f.py"), 1, true);
    const uint64_t state = MadePython::thread_state;
    CHECK(overtaken.walk().status == PythonStackStatus::ok);
    made.set_finalizer(state);
    CHECK(finisher.walk().status == PythonStackStatus::ok);
    // The interpreter has ended and no thread has a state. Only the thread that ended it is known
    // to have no frames.
    made.set_finalizer(0);
    MadePython::thread_state = 0;
    CHECK(overtaken.walk().status == PythonStackStatus::finalizing);
    CHECK(overtaken.walk().status == PythonStackStatus::finalizing);
    CHECK(finisher.walk().status == PythonStackStatus::no_thread_state);
    // Python begins again, and the state comes to the same address.
    MadePython::thread_state = state;
    CHECK(overtaken.walk().status == PythonStackStatus::ok);
    MadePython::thread_state = 0;
    CHECK(overtaken.walk().status == PythonStackStatus::no_thread_state);
    PythonWalkFlag::lower_all();
}

TEST_CASE("a thread that takes a walker over begins anew", "[python_walk]") {
    MadePython made(11);
    turn_on();
    PythonWalker& walker = new_walker();
    made.push(made.code("f", "f.py"), 1, true);
    made.set_finalizer(0x1000);
    CHECK(walker.walk().status == PythonStackStatus::finalizing);
    made.set_finalizer(0);
    walker.forget_thread();
    CHECK(walker.walk().status == PythonStackStatus::ok);
    PythonWalkFlag::lower_all();
}

TEST_CASE("captures are counted by what they came to", "[python_walk]") {
    FreedCodes::pretend_to_watch(true);
    MadePython made(12);
    turn_on();
    PythonWalker& walker = new_walker();
    walker.count(walker.walk());
    made.push(made.code("f", "f.py"), 1, true);
    walker.count(walker.walk());
    walker.walk();
    walker.count(walker.walk());
    const PythonWalker::Counts& counts = walker.counts();
    CHECK(counts.of_status[static_cast<unsigned>(PythonStackStatus::empty)] == 1);
    CHECK(counts.of_status[static_cast<unsigned>(PythonStackStatus::ok)] == 2);
    CHECK(counts.frames == 2);
    CHECK(counts.kept == 1);
    FreedCodes::pretend_to_watch(false);
}

TEST_CASE("without the GIL it is not sure which interpreter's code runs", "[python_walk]") {
    MadePython made(11);
    turn_on();
    PythonWalker& walker = new_walker();
    const uint64_t code = made.code("f", "f.py");
    made.push(code, 1, true);
    const uint64_t first = MadePython::thread_state;
    const uint64_t other = made.another_state();
    // Another interpreter exists, but this thread has never run its code.
    made.set_holder(0);
    CHECK(walker.walk().status == PythonStackStatus::ok);
    made.set_holder(other);
    const PythonStack inside = walker.walk();
    CHECK(inside.status == PythonStackStatus::ok);
    CHECK(inside.length == 1);
    made.set_holder(0);
    CHECK(walker.walk().status == PythonStackStatus::unsure);
    made.set_holder(first);
    CHECK(walker.walk().status == PythonStackStatus::ok);
    // The other interpreter's code has returned.
    made.put(made.get(other + made.layout.thread_cframe) + made.layout.cframe_frame, 0);
    made.set_holder(0);
    CHECK(walker.walk().status == PythonStackStatus::ok);
}
