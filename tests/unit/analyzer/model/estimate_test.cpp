// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/estimate.h"

#include <cmath>
#include <random>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("what is not a sample is exact", "[estimate]") {
    CHECK(estimate_range(1000, 0) == EstimateRange{1000, 1000});
    CHECK(estimate_error_text(1000, 0) == "0 %");
}

TEST_CASE("ranges are those of tables of Poisson's distribution", "[estimate]") {
    // 10 events: 4.795 to 18.39; 100 events: 81.36 to 121.6.
    const EstimateRange ten = estimate_range(10'000'000, 1'000'000);
    CHECK(std::abs(static_cast<double>(ten.low) - 4.795e6) < 0.02e6);
    CHECK(std::abs(static_cast<double>(ten.high) - 18.39e6) < 0.02e6);
    const EstimateRange hundred = estimate_range(100'000'000, 1'000'000);
    CHECK(std::abs(static_cast<double>(hundred.low) - 81.36e6) < 0.05e6);
    CHECK(std::abs(static_cast<double>(hundred.high) - 121.63e6) < 0.05e6);
    CHECK(estimate_error_text(100'000'000, 1'000'000) == "20 %");
    CHECK(estimate_error_text(uint64_t{1} << 30, 1 << 19) == "4.4 %");
}

TEST_CASE("one block of a sample says little", "[estimate]") {
    const EstimateRange one = estimate_range(1 << 19, 1 << 19);
    CHECK(one.low == 0);
    CHECK(one.high > uint64_t{5} << 19);
}

TEST_CASE("95 of 100 ranges have the truth", "[estimate]") {
    std::mt19937_64 random(1);
    constexpr uint64_t interval = 1 << 16;
    for (const double chosen : {3.0, 12.0, 200.0}) {
        std::poisson_distribution<uint64_t> sample(chosen);
        const auto truth = static_cast<uint64_t>(chosen * interval);
        constexpr int runs = 20'000;
        int inside = 0, seen = 0;
        for (int i = 0; i < runs; ++i) {
            const uint64_t count = sample(random);
            if (count == 0) continue;  // The site is not in the report.
            seen += 1;
            const EstimateRange range = estimate_range(count * interval, interval);
            inside += range.low <= truth && truth <= range.high;
        }
        CHECK(inside >= 0.945 * seen);
    }
}

TEST_CASE("the largest figures have ranges", "[estimate]") {
    CHECK(estimate_range(UINT64_MAX, 1 << 26).high == UINT64_MAX);
}

TEST_CASE("of a figure that was counted at first, only the rest is uncertain", "[estimate]") {
    const EstimateRange all = estimate_range(10'000'000, 4096);
    CHECK(estimate_range(10'000'000, 10'000'000, 4096) == all);
    CHECK(estimate_range(10'000'000, UINT64_MAX, 4096) == all);
    CHECK(estimate_range(11'000'000, 10'000'000, 4096) ==
          EstimateRange{all.low + 1'000'000, all.high + 1'000'000});
    // A site of which no block is in the sample may still have had a few.
    CHECK(estimate_range(1'000'000, 0, 4096) ==
          EstimateRange{1'000'000, 1'000'000 + estimate_range(0, 4096).high});
}

TEST_CASE("four times the bytes of a sample deviate by twice as much", "[estimate]") {
    CHECK(estimate_deviation(0, 1000) == 0);
    CHECK(estimate_deviation(100'000, 1000) == Approx(10'000));
    CHECK(estimate_deviation(400'000, 1000) == Approx(20'000));
}

TEST_CASE("the range of a peak has more room above than that of another figure", "[estimate]") {
    CHECK(estimate_peak_range(1000, UINT64_MAX, 0) == EstimateRange{1000, 1000});
    for (const uint64_t bytes : {0ull, 4096ull, 1'000'000ull, 100'000'000ull}) {
        const EstimateRange plain = estimate_range(bytes, 4096);
        const EstimateRange peak = estimate_peak_range(bytes, UINT64_MAX, 4096);
        CHECK(peak.low <= plain.low);
        CHECK(peak.high > plain.high);
    }
    const EstimateRange all = estimate_peak_range(10'000'000, UINT64_MAX, 4096);
    CHECK(estimate_peak_range(11'000'000, 10'000'000, 4096) ==
          EstimateRange{all.low + 1'000'000, all.high + 1'000'000});
    CHECK(estimate_peak_range(UINT64_MAX, UINT64_MAX, 1 << 26).high == UINT64_MAX);
}

TEST_CASE("a sample knows nothing of the events in the life of a block, of whatever space") {
    Model model;
    for (const char* name : {"host", "mmap", "python"}) {
        Space space;
        space.name = name;
        model.spaces.push_back(space);
    }
    Space &host = model.spaces[0], &mmap = model.spaces[1], &python = model.spaces[2];
    CHECK(knows_events(model, host));
    python.is_estimate = true;
    CHECK(knows_events(model, host));
    CHECK(knows_events(model, mmap));
    CHECK_FALSE(knows_events(model, python));
    CHECK_FALSE(knows_temporary(python));
    host.is_estimate = true;
    CHECK_FALSE(knows_events(model, host));
    CHECK_FALSE(knows_events(model, mmap));
    CHECK(knows_temporary(mmap));
    model.filters.emplace().spaces.push_back({"host", true, {}, {}});
    model.spaces.erase(model.spaces.begin());
    CHECK_FALSE(knows_events(model, model.spaces[0]));
}
