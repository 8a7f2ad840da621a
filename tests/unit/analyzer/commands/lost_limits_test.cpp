// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/lost_limits.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using Catch::Contains;

namespace {

LimitResult on(Metric metric, uint64_t allowed, uint64_t measured) {
    LimitResult result;
    result.limit.metric = metric;
    result.allowed = allowed;
    result.measured = measured;
    result.passed = measured <= allowed;
    return result;
}

LostSearchInfo search_of(LostCause cause, LostStage stage = LostStage::done) {
    LostSearchInfo search;
    search.cause = cause;
    search.stage = stage;
    search.later_blocks = 4;
    search.later_bytes = 4000;
    return search;
}

// A limit that passed, one that did not, and one that needs no search.
CheckResult judged(const Story& story) {
    CheckResult result;
    result.limits = {on(Metric::lost_bytes, 1000, 0), on(Metric::lost_blocks, 0, 1),
                     on(Metric::leaked_bytes, 0, 0)};
    leave_out_unknown_lost(story.recording, result);
    return result;
}

}  // namespace

TEST_CASE("without a search no limit on lost blocks passes") {
    const CheckResult result = judged(Story());
    REQUIRE(result.obstacles.size() == 1);
    CHECK_THAT(result.obstacles[0], Contains("record with MEMTRACE_OPTIONS=lost=exit"));
    REQUIRE(result.limits.size() == 2);
    CHECK_FALSE(result.limits[0].passed);
    CHECK(result.limits[1].limit.metric == Metric::leaked_bytes);
}

TEST_CASE("the search at the end of the work is what a limit on lost blocks is about") {
    Story story;
    story.recording.model.options["lost"] = "exit";
    story.recording.model.searches = {search_of(LostCause::work_end)};
    CHECK(judged(story).obstacles.empty());
    CHECK(judged(story).limits.size() == 3);
}

TEST_CASE("an earlier search does not stand for one that failed, or never came") {
    Story story;
    Model& model = story.recording.model;
    model.options["lost"] = "exit";
    model.process.end = "exit 0";
    model.searches = {search_of(LostCause::program)};
    REQUIRE(judged(story).obstacles.size() == 1);
    CHECK_THAT(judged(story).obstacles[0], Contains("the program ended by neither"));
    model.searches.push_back(search_of(LostCause::work_end, LostStage::failed));
    model.searches.back().text = "there were no descriptors left.";
    CHECK_THAT(judged(story).obstacles.at(0), Contains("failed: there were no descriptors"));
}

TEST_CASE("what came after a search may be lost, and counts if it would exceed the limit") {
    Story story;
    story.recording.model.searches = {search_of(LostCause::interval)};
    REQUIRE(judged(story).obstacles.size() == 1);
    CHECK_THAT(judged(story).obstacles[0], Contains("3.9 KiB (4 blocks) that are alive"));
    story.recording.model.searches[0].later_bytes = 900;
    CHECK(judged(story).obstacles.empty());
}
