// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_frame_reader.h"

#include <vector>

#include "tests/unit/preload/python/made_python.h"
#include "tests/unit/test.h"

using namespace memtrace::preload;
using memtrace::test::MadePython;

namespace {

template <class Memory>
std::vector<PythonFrame> frames_of(const MadePython& made, Memory& memory) {
    PythonFrameReader<Memory> reader(made.layout, memory, MadePython::thread_state);
    std::vector<PythonFrame> frames;
    while (reader.frame() != 0 && frames.size() < 100) frames.push_back(reader.take());
    return frames;
}

}  // namespace

TEST_CASE("frames come innermost first, each with its loop", "[python_frames]") {
    for (const uint32_t minor : {8u, 9u, 10u, 11u, 12u}) {
        MadePython made(minor);
        const uint64_t code = made.code("f", "f.py");
        // Two loops of two frames each, if the version has such loops.
        const uint64_t pushed[] = {made.push(code, 0, true), made.push(code, 1, false),
                                   made.push(code, 2, true), made.push(code, 3, false)};
        PlainMemory plain;
        const std::vector<PythonFrame> frames = frames_of(made, plain);
        REQUIRE(frames.size() == 4);
        uint64_t inner = 0;
        for (uint32_t i = 0; i < 4; ++i) {
            const PythonFrame& frame = frames[i];
            CHECK(frame.frame == pushed[3 - i]);
            CHECK(frame.code == code);
            CHECK(python_position(made.layout, code, frame.instruction) == 4 - i);
            if (made.layout.chain == PythonChain::frame_objects) {
                CHECK(frame.anchor == PythonFrame::unknown_loop);
            } else if (minor >= 11 && i % 2 == 0) {
                CHECK(frame.anchor == PythonFrame::same_loop);
            } else {
                CHECK(frame.anchor > inner);
                CHECK(frame.anchor != PythonFrame::unknown_loop);
                inner = frame.anchor;
            }
        }
        GuardedMemory guarded;
        CHECK(frames_of(made, guarded).size() == 4);
        CHECK_FALSE(guarded.failed());
    }
}

TEST_CASE("a thread without frames has none", "[python_frames]") {
    for (const uint32_t minor : {8u, 10u, 11u, 12u}) {
        const MadePython made(minor);
        PlainMemory memory;
        CHECK(frames_of(made, memory).empty());
    }
}

TEST_CASE("with care nothing is read that cannot be", "[python_frames]") {
    GuardedMemory memory;
    uint64_t word = 42;
    const auto at = reinterpret_cast<uint64_t>(&word);
    CHECK(memory.word(at) == 42);
    CHECK(memory.half(at) == 42);
    CHECK(memory.byte(at + 1) == 0);
    CHECK_FALSE(memory.failed());
    const volatile uint64_t nowhere = 8;
    CHECK(memory.word(nowhere) == 0);
    CHECK(memory.failed());
    GuardedMemory other;
    CHECK(other.word(at + 1) == 0);
    CHECK(other.failed());
}

TEST_CASE("with care a ring of frames has an end", "[python_frames]") {
    MadePython made(12);
    const uint64_t code = made.code("f", "f.py");
    made.push(code, 0, true);
    const uint64_t shim = made.get(made.push(code, 0, true) + made.layout.frame_back);
    made.put(shim + made.layout.frame_back, shim);
    GuardedMemory memory;
    CHECK(frames_of(made, memory).size() < 100);
    CHECK(memory.failed());
}
