// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/range_text.h"

#include "analyzer/base/error.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

RangeText parsed(const std::string& text) { return parse_range_text("--from", text); }

}  // namespace

TEST_CASE("an end of a range is a time, a step, or the name of a phase") {
    CHECK(std::get<RangeAtTime>(parsed("1m30s")).time_ns == 90'000'000'000);
    CHECK(std::get<RangeAtTime>(parsed("2")).time_ns == 2'000'000'000);
    CHECK(std::get<RangeAtStep>(parsed("step 12")).number == 12);
    CHECK(std::get<RangeAtStep>(parsed("step:7")).number == 7);
    CHECK(std::get<RangeAtPhase>(parsed("load")).pattern.text() == "load");
    CHECK(std::get<RangeAtPhase>(parsed("step #")).pattern.text() == "step #");
    CHECK(std::get<RangeAtPhase>(parsed("steps 3")).pattern.text() == "steps 3");
}

TEST_CASE("a step needs a number from 1 on") {
    CHECK_THROWS_WITH(parsed("step 0"), Contains("--from step 0") && Contains("from 1"));
    CHECK_THROWS_AS(parsed("step:"), Error);
}

TEST_CASE("several steps are two ends") {
    using Ends = std::pair<std::string, std::string>;
    CHECK(split_steps("step 10..20") == Ends("step 10", "step 20"));
    CHECK(split_steps("step:7..7") == Ends("step:7", "step:7"));
    for (const char* name :
         {"step 10", "step ..20", "step 1..", "step 1..x", "load 1..2", "step"}) {
        CHECK_FALSE(split_steps(name));
    }
}
