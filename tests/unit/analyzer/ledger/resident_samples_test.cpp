// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/resident_samples.h"

#include <algorithm>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("the samples of weeks keep their floor, their tops and what was measured rarely") {
    std::vector<RssSample> samples;
    constexpr uint64_t count = 1'000'000;
    uint64_t rare = 0;
    for (uint64_t i = 0; i < count; ++i) {
        RssSample sample{i, 1000 + i % 97, 0, 0};
        if (i == 400'000) sample.rss = 5;
        if (i == 700'000) sample.rss = 50'000;
        if (i % 100 == 0) sample.own = 10;
        add_sample(samples, sample);
    }
    CHECK(samples.size() <= samples_kept);
    CHECK(samples.size() > samples_kept / 4);
    CHECK(samples.front().time_ns == 0);
    CHECK(samples.back().time_ns == count - 1);
    const auto by_rss = [](const RssSample& a, const RssSample& b) { return a.rss < b.rss; };
    const auto [low, high] = std::minmax_element(samples.begin(), samples.end(), by_rss);
    CHECK(low->rss == 5);
    CHECK(high->rss == 50'000);
    CHECK(std::is_sorted(samples.begin(), samples.end(),
                         [](const auto& a, const auto& b) { return a.time_ns < b.time_ns; }));
    for (const RssSample& sample : samples) rare += sample.own != 0;
    CHECK(rare > 100);
}

TEST_CASE("it is said how many samples there were") {
    Problems problems;
    remark_on_samples(10, 10, problems);
    CHECK(problems.remarks().empty());
    remark_on_samples(32'000, 60'000'000, problems);
    REQUIRE(problems.remarks().size() == 1);
    CHECK(problems.remarks()[0].text ==
          "32,000 samples of the resident set are listed of 60,000,000: of several in a row the "
          "lowest and the highest.");
    CHECK_FALSE(problems.damaged());
}
