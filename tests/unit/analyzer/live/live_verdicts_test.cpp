// SPDX-License-Identifier: Apache-2.0
//
// What the growth report said, as top shows it.
#include "analyzer/live/live_verdicts.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("a line has the worst of its verdicts") {
    const LiveVerdicts verdicts = read_live_verdicts(R"({"growth": {
        "step": "step", "steps": 200, "until_ns": 10000000000, "findings": [
          {"space": "host", "verdict": "cache", "bytes_per_step": 0.0, "grown_bytes": 100,
           "own": {"file": "a.py", "line": 3, "function": "f"}},
          {"space": "host", "verdict": "leak", "bytes_per_step": 64.0, "grown_bytes": 6400,
           "own": {"file": "a.py", "line": 3, "function": "f"}},
          {"space": "host", "verdict": "leak", "bytes_per_step": 1.0, "grown_bytes": 10,
           "own": null}]}})");
    const LiveVerdict* line = verdicts.find("host", "a.py", 3);
    REQUIRE(line != nullptr);
    CHECK(line->verdict == "leak");
    CHECK(line->per_step == 64.0);
    CHECK(verdicts.find("python", "a.py", 3) == nullptr);
    CHECK(verdicts.grown.at({"host", "leak"}) == 6410);
    CHECK(verdicts.steps == 200);
}

TEST_CASE("a document that is no report is an error") {
    CHECK_THROWS(read_live_verdicts("{}"));
    CHECK_THROWS(read_live_verdicts(""));
}
