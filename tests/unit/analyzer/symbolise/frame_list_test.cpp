// SPDX-License-Identifier: Apache-2.0
//
// Equal frames get one number.
#include "analyzer/symbolise/frame_list.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a frame that is known keeps its number, and any difference makes another frame") {
    std::vector<Frame> frames;
    FrameList list(frames);
    Frame frame;
    frame.function = "f";
    frame.file = "a.cpp";
    frame.line = 3;
    CHECK(list.add(frame) == 0);
    Frame other = frame;
    other.end_column = 7;  // not in the hash
    CHECK(list.add(other) == 1);
    for (int i = 0; i < 1000; ++i) {
        Frame many = frame;
        many.line = static_cast<uint32_t>(100 + i);
        CHECK(list.add(many) == static_cast<FrameId>(2 + i));
    }
    CHECK(list.add(frame) == 0);
    CHECK(list.add(other) == 1);
    CHECK(frames.size() == 1002);
    CHECK(frames[1] == other);
}
