// SPDX-License-Identifier: Apache-2.0
//
// The contents of a baseline from one run or several, and its update with a new run.
#include "analyzer/check/baseline.h"

#include "analyzer/base/error.h"
#include "tests/unit/analyzer/check/checks.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

using Functions = std::vector<std::pair<std::string, uint64_t>>;

Measurements run(const Functions& functions) { return measured_of(program(functions).recording); }

Baseline baseline_of(const std::vector<Functions>& runs) {
    std::vector<Measurements> measured;
    for (const Functions& functions : runs) measured.push_back(run(functions));
    return make_baseline(measured, default_floors());
}

Band leaked(const BaselineSpace& space, const std::string& key) {
    const BaselineSite* site = find_site(space, key);
    REQUIRE(site != nullptr);
    return band(site->bands, Metric::leaked_bytes);
}

}  // namespace

TEST_CASE("several runs give a band, of the space and of each site") {
    const Baseline found = baseline_of(
        {{{"load", 100'000}, {"cache", 20'000}}, {{"load", 110'000}}, {{"load", 105'000}}});
    CHECK(found.runs == 3);
    CHECK(found.program == "train");
    REQUIRE(found.spaces.size() == 1);
    CHECK(band(found.spaces[0].bands, Metric::leaked_bytes) == Band{105'000, 120'000});
    CHECK(leaked(found.spaces[0], "load < main") == Band{100'000, 110'000});
    CHECK(leaked(found.spaces[0], "cache < main") == Band{0, 20'000});  // not in every run
}

TEST_CASE("small sites are summed up") {
    Functions many{{"load", 100'000}};
    for (int i = 0; i < 50; ++i) many.emplace_back("small" + std::to_string(i), 100);
    const Baseline found = baseline_of({many});
    CHECK(found.spaces[0].sites.size() == 1);
    CHECK(found.spaces[0].other_sites == 50);
    CHECK(band(found.spaces[0].others, Metric::leaked_bytes) == Band{5000, 5000});
}

TEST_CASE("a band is not moved by what lies in it") {
    const Baseline old = baseline_of({{{"load", 100'000}}, {{"load", 120'000}}});
    const Baseline fresh = update_baseline(old, run({{"load", 110'000}}), default_floors());
    CHECK(fresh.runs == 2);
    CHECK(leaked(fresh.spaces[0], "load < main") == Band{100'000, 120'000});
    CHECK(band(fresh.spaces[0].bands, Metric::leaked_bytes) == Band{100'000, 120'000});
}

TEST_CASE("what lies outside is the middle of a band as wide in proportion") {
    const Baseline old = baseline_of({{{"load", 90'000}}, {{"load", 110'000}}});
    const Baseline fresh = update_baseline(old, run({{"load", 200'000}}), default_floors());
    CHECK(leaked(fresh.spaces[0], "load < main") == Band{180'000, 220'000});
    const Baseline exact = update_baseline(baseline_of({{{"load", 90'000}}}),
                                           run({{"load", 50'000}}), default_floors());
    CHECK(leaked(exact.spaces[0], "load < main") == Band{50'000, 50'000});
}

TEST_CASE("sites that are gone go, unless they were not always there; new ones come") {
    const Baseline old = baseline_of({{{"load", 100'000}, {"cache", 20'000}, {"old", 30'000}},
                                      {{"load", 100'000}, {"old", 30'000}}});
    const Baseline fresh =
        update_baseline(old, run({{"load", 100'000}, {"new", 40'000}}), default_floors());
    CHECK(find_site(fresh.spaces[0], "old < main") == nullptr);
    CHECK(leaked(fresh.spaces[0], "cache < main") == Band{0, 20'000});
    CHECK(leaked(fresh.spaces[0], "new < main") == Band{40'000, 40'000});
    CHECK(std::is_sorted(fresh.spaces[0].sites.begin(), fresh.spaces[0].sites.end(),
                         [](const auto& a, const auto& b) { return a.key < b.key; }));
}

TEST_CASE("estimates are in no baseline, and different programs in no common one") {
    Story story = program({{"load", 100'000}});
    story.site("python", story.stack({"make"}), 1, 10, 1);
    story.space("python").is_estimate = true;
    CHECK(make_baseline({measured_of(story.recording)}, default_floors()).spaces.size() == 1);
    Story other = program({{"load", 1}});
    other.recording.model.process.executable = "/app/serve";
    CHECK_THROWS_WITH(make_baseline({measured_of(story.recording), measured_of(other.recording)},
                                    default_floors()),
                      Contains("of train and of serve"));
}
