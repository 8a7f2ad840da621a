// SPDX-License-Identifier: Apache-2.0
//
// The table of metrics, and the figures that belong to its rows.
#include "analyzer/check/metric.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("every metric is found by its name, and its row is its own") {
    for (const MetricRow& row : metrics) {
        CHECK(find_metric(row.name) == row.metric);
        CHECK(row_of(row.metric).name == row.name);
    }
    CHECK_FALSE(find_metric("leaked-byte").has_value());
    CHECK(field_of(Metric::leaked_bytes) == "leaked_bytes");
}

TEST_CASE("the peak of a space is its own, that of a site its part of it") {
    Totals totals;
    totals.own_peak_bytes = 100;
    totals.at_peak_bytes = 60;
    CHECK(figure(figures_of_space(totals), Metric::peak_bytes) == 100);
    CHECK(figure(figures_of_site(totals), Metric::peak_bytes) == 60);
}

TEST_CASE("what was held when the work ended is another figure than what is alive at the end") {
    Totals totals;
    totals.held_blocks = 3;
    totals.held_bytes = 300;
    totals.live_blocks = 1;
    totals.live_bytes = 100;
    CHECK(figure(figures_of_site(totals), Metric::held_bytes) == 300);
    CHECK(figure(figures_of_space(totals), Metric::held_blocks) == 3);
    CHECK(figure(figures_of_space(totals), Metric::leaked_bytes) == 100);
    CHECK(row_of(Metric::held_bytes).measure == Measure::held);
}

TEST_CASE("a part is rounded up: none in a million is not nothing") {
    Totals totals;
    totals.allocations = 1'000'000;
    CHECK(figure(figures_of_space(totals), Metric::temporary_percent) == 0);
    totals.temporary = 1;
    CHECK(figure(figures_of_space(totals), Metric::temporary_percent) == 1);
    totals.temporary = 250'000;
    CHECK(figure(figures_of_space(totals), Metric::temporary_percent) == 2500);
    totals.allocations = totals.temporary = UINT64_MAX;
    CHECK(figure(figures_of_space(totals), Metric::temporary_percent) == 10'000);
    CHECK_FALSE(adds_up(Metric::temporary_percent));
}

TEST_CASE("figures have their unit") {
    CHECK(figure_text(Metric::peak_bytes, 2048) == "2.0 KiB (2,048 bytes)");
    CHECK(short_text(Metric::leaked_blocks, 1) == "1 block");
    CHECK(short_text(Metric::held_blocks, 2) == "2 blocks");
    CHECK(short_text(Metric::allocations, 1200) == "1,200 allocations");
    CHECK(figure_text(Metric::temporary_percent, 1205) == "12.05 %");
}
