// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/backward_frames.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a backward frame is its forward function and its operation") {
    Frame frame;
    frame.kind = FrameKind::backward;
    frame.operation = "AddmmBackward0";
    CHECK(backward_function(frame) == "[forward not recorded] (AddmmBackward0)");
    frame.function = "Net.forward";
    CHECK(backward_function(frame) == "Net.forward (AddmmBackward0)");
}
