// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/json_frames.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a frame of Python says its columns where they are known") {
    Frame frame;
    frame.function = "train_step";
    frame.file = "/src/train.py";
    frame.line = 41;
    frame.kind = FrameKind::python;
    const Json plain{{"function", "train_step"},
                     {"file", "/src/train.py"},
                     {"line", 41},
                     {"module", ""},
                     {"kind", "python"}};
    CHECK(frame_json(frame) == plain);
    frame.end_line = 41;
    frame.column = 5;
    frame.end_column = 12;
    CHECK(frame_json(frame)["column"] == 5);
    CHECK(frame_json(frame)["end_column"] == 12);
    CHECK_FALSE(frame_json(frame).contains("end_line"));
    frame.end_line = 43;
    CHECK(frame_json(frame)["end_line"] == 43);
}

TEST_CASE("sums have the words of a site") {
    Totals totals;
    totals.live_bytes = 7;
    totals.temporary = 2;
    CHECK(sums_json(totals, false)["leaked_bytes"] == 7);
    CHECK(sums_json(totals, false)["temporary"] == 2);
    CHECK(sums_json(totals, true)["temporary"].is_null());
    CHECK_FALSE(sums_json(totals, false).contains("own_peak_bytes"));  // It cannot be added up.
}
