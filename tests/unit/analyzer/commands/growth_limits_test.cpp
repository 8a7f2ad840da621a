// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/growth_limits.h"

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using Catch::Contains;

namespace {

constexpr uint64_t second = 1'000'000'000;

LimitResult on(Metric metric, uint64_t allowed, uint64_t measured) {
    LimitResult result;
    result.limit.metric = metric;
    result.limit.space = "host";
    result.allowed = allowed;
    result.measured = measured;
    result.passed = measured <= allowed;
    return result;
}

GrowthFinding finding_of(Verdict verdict, double per_hour) {
    GrowthFinding finding;
    finding.space = "host";
    finding.verdict = verdict;
    finding.rate.bytes_per_hour = per_hour;
    finding.rate.bytes_per_step = per_hour / 10;
    return finding;
}

Growth growth_of(std::vector<GrowthFinding> findings, uint64_t until_ns) {
    Growth growth;
    growth.by_steps = true;
    growth.until_ns = until_ns;
    growth.findings = std::move(findings);
    return growth;
}

CheckResult judged(const Growth& growth, std::vector<LimitResult> limits) {
    CheckResult result;
    result.limits = std::move(limits);
    leave_out_unknown_growth(Story().recording, growth, result);
    return result;
}

}  // namespace

TEST_CASE("growth that is not sure breaks no limit and passes none in a short run") {
    const Growth growth = growth_of({finding_of(Verdict::growing, 1000)}, 5'000'000);
    const CheckResult broken =
        judged(growth, {on(Metric::growth_per_hour, 999, 0), on(Metric::growth_per_step, 99, 0),
                        on(Metric::growth_per_hour, 1000, 0), on(Metric::leaked_bytes, 0, 0)});
    REQUIRE(broken.limits.size() == 2);  // One allows as much, and one is about something else.
    CHECK(broken.limits[0].allowed == 1000);
    REQUIRE(broken.obstacles.size() == 2);
    CHECK_THAT(broken.obstacles[0], Contains("host growth-per-hour was not judged: "));
    CHECK_THAT(broken.obstacles[0], Contains("1000 B an hour") && Contains("In 5 ms it"));
    CHECK_THAT(broken.obstacles[1], Contains("100 B a step"));
}

TEST_CASE("a limit that leaks exceed is broken, whatever grows beside them") {
    const Growth growth =
        growth_of({finding_of(Verdict::leak, 500), finding_of(Verdict::growing, 1000)}, second);
    const CheckResult result = judged(
        growth, {on(Metric::growth_per_hour, 499, 500), on(Metric::growth_per_hour, 1499, 500),
                 on(Metric::growth_per_hour, 1500, 500)});
    REQUIRE(result.limits.size() == 2);
    CHECK_FALSE(result.limits[0].passed);
    CHECK(result.limits[1].allowed == 1500);
    CHECK(result.obstacles.size() == 1);
}

TEST_CASE("what has grown for ten minutes counts, and what is in another space does not") {
    GrowthFinding elsewhere = finding_of(Verdict::growing, 1000);
    elsewhere.space = "mmap";
    const Growth growth =
        growth_of({finding_of(Verdict::growing, 1000), elsewhere, finding_of(Verdict::cache, 0)},
                  601 * second);
    CHECK(is_known_to_grow(growth, growth.findings[0]));
    CHECK_FALSE(is_known_to_grow(growth, growth.findings[2]));
    CHECK(judged(growth, {on(Metric::growth_per_hour, 0, 0)}).obstacles.empty());
}

TEST_CASE("without steps a step is not judged, and without a judgement nothing") {
    Growth growth = growth_of({}, second);
    growth.by_steps = false;
    const std::vector<LimitResult> limits{on(Metric::growth_per_hour, 9, 0),
                                          on(Metric::growth_per_step, 9, 0)};
    CheckResult result = judged(growth, limits);
    CHECK(result.limits.size() == 1);
    REQUIRE(result.obstacles.size() == 1);
    CHECK_THAT(result.obstacles[0], Contains("Growth in a step was not judged: "));
    growth.not_judged = "too short";
    result = judged(growth, limits);
    CHECK(result.limits.empty());
    CHECK(result.obstacles == std::vector<std::string>{"Growth was not judged: too short"});
}
