// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_frames.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("page frames: each text is in the table once") {
    PageFrames frames;
    CHECK(frames.add({"step", "train.py", 7, "train.py", ShownFrame::own}) == 0);
    CHECK(frames.add({"step", "net.py", 0, "train.py", 0}) == 1);
    const uint32_t train = frames.text("train.py");
    const Json json = frames.json();
    CHECK(json["texts"] == Json({"step", "train.py", "net.py"}));
    CHECK(json["frames"]["function"] == Json({0, 0}));
    CHECK(json["frames"]["file"] == Json({train, 2}));
    CHECK(json["frames"]["line"] == Json({7, 0}));
    CHECK(json["frames"]["group"] == Json({train, train}));
    CHECK(json["frames"]["flags"] == Json({1, 0}));
}
