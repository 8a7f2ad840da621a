// SPDX-License-Identifier: Apache-2.0
//
// Limits of `check`: how they are typed, what they are compared with.
#include "analyzer/gate.h"

#include "analyzer/error.h"
#include "tests/unit/analyzer/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

TEST_CASE("a limit is a size, for the host or for a space") {
    Limit limit = parse_limit(Metric::leaked_bytes, "500K");
    CHECK(limit.space == "host");
    CHECK(limit.value == 500u << 10);
    limit = parse_limit(Metric::peak_bytes, "mmap=2GiB");
    CHECK(limit.space == "mmap");
    CHECK(limit.value == uint64_t{2} << 30);
    CHECK(parse_limit(Metric::leaked_blocks, "tensors:cuda:0=12").space == "tensors:cuda:0");
}

TEST_CASE("a bad limit is named in the complaint") {
    CHECK_THROWS_WITH(parse_limit(Metric::leaked_bytes, "many"),
                      Contains("--max-leaked-bytes") && Contains("\"many\" is not a size"));
    CHECK_THROWS_WITH(parse_limit(Metric::leaked_blocks, "host=-1"),
                      Contains("\"-1\" is not a number"));
    CHECK_THROWS_WITH(parse_limit(Metric::peak_bytes, "hots=1M"),
                      Contains("there is no space \"hots\""));
    CHECK_THROWS_AS(parse_limit(Metric::peak_bytes, "mmap="), Error);
    CHECK_THROWS_AS(parse_limit(Metric::peak_bytes, ""), Error);
}

TEST_CASE("the limit itself is still within") {
    Story story;
    story.site("host", story.stack({"make"}), 10, 100, 3);
    const auto passed = [&](Metric metric, uint64_t value, const char* space = "host") {
        return check_limits(story.report.model, {{metric, space, value}})[0].passed;
    };
    CHECK(passed(Metric::leaked_bytes, 300));
    CHECK_FALSE(passed(Metric::leaked_bytes, 299));
    CHECK(passed(Metric::leaked_blocks, 3));
    CHECK_FALSE(passed(Metric::leaked_blocks, 2));
    CHECK(passed(Metric::peak_bytes, 1000));
    CHECK_FALSE(passed(Metric::peak_bytes, 999));
    CHECK(passed(Metric::peak_bytes, 0, "mmap"));  // a space without events
}

TEST_CASE("a dump that lost events is incomplete") {
    Story story;
    CHECK_FALSE(is_incomplete(story.report.model));
    story.report.model.capture.lost_events = 1;
    CHECK(is_incomplete(story.report.model));
    story.report.model.capture.lost_events = 0;
    story.report.model.damaged             = true;
    CHECK(is_incomplete(story.report.model));
}
