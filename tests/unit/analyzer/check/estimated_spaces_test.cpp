// SPDX-License-Identifier: Apache-2.0
//
// Limits that an estimated space cannot be judged by, and recordings of which no baseline comes.
#include "analyzer/check/estimated_spaces.h"

#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

// A recording in which the host or the objects of Python are estimated.
Measurements estimated(const std::string& name) {
    Story story = program({{"load", 100'000}});
    story.site("python", story.stack({"make"}), 1, 10, 1);
    story.space(name).is_estimate = true;
    return measured_of(story.recording);
}

Baseline base_of(const Measurements& measured) {
    Measurements exact = measured;
    for (MeasuredSpace& space : exact.spaces) space.is_estimate = false;
    Baseline baseline = make_baseline({exact}, default_floors());
    baseline.path = "base.json";
    return baseline;
}

}  // namespace

TEST_CASE("limits that compare are left out with one reason, limits of sizes stay") {
    const Measurements measured = estimated("host");
    const Baseline baseline = base_of(measured);
    std::vector<Limit> limits{
        limit_of(Metric::leaked_bytes, "1M"), limit_of(Metric::peak_bytes, "+10%"),
        limit_of(Metric::leaked_bytes, "64K", Scope::new_site),
        limit_of(Metric::peak_bytes, "python=+10%"), limit_of(Metric::held_bytes, "off")};
    const auto why = leave_out_estimates(measured, &baseline, limits);
    REQUIRE(why.size() == 1);
    CHECK_THAT(why[0], Contains("The space host cannot be compared with the baseline base.json"));
    CHECK_THAT(why[0], Contains("record without the option sample"));
    REQUIRE(limits.size() == 3);
    CHECK(limits[1].space == "python");
}

TEST_CASE("the reason says what made the estimate") {
    Measurements measured = estimated("host");
    measured.spaces[0].exact_until_ns = 359'000'000;
    std::vector<Limit> limits{limit_of(Metric::peak_bytes, "+10%")};
    const auto why = leave_out_estimates(measured, nullptr, limits);
    CHECK_THAT(why.at(0), Contains("since 359 ms") && Contains("a larger max_dump"));
    limits = {limit_of(Metric::peak_bytes, "python=+10%")};
    const auto of_objects = leave_out_estimates(estimated("python"), nullptr, limits);
    CHECK_THAT(of_objects.at(0), Contains("python_allocs=all"));
}

TEST_CASE("the temporary part of a sample is not known, whatever its limit") {
    for (const char* text : {"5%", "+5%"}) {
        std::vector<Limit> limits{limit_of(Metric::temporary_percent, text)};
        const auto why = leave_out_estimates(estimated("host"), nullptr, limits);
        CHECK_THAT(why.at(0), Contains("temporary allocations are not known"));
        CHECK(limits.empty());
    }
}

TEST_CASE("no baseline comes of an estimated host, nor loses objects that it had") {
    const Measurements host = estimated("host"), objects = estimated("python");
    CHECK_THAT(not_for_a_baseline(host, nullptr).at(0), Contains("host would be missing"));
    CHECK(not_for_a_baseline(objects, nullptr).empty());
    const Baseline with_objects = base_of(objects);
    CHECK_THAT(not_for_a_baseline(objects, &with_objects).at(0),
               Contains("python would be missing") && Contains("python_allocs=all"));
}
