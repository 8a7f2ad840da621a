// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/life_histogram.h"

#include "tests/unit/analyzer/charts/stories.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

std::string label(LifeScale scale, uint32_t bin, uint32_t next) {
    HistogramBar bar;
    bar.bin = bin;
    bar.next_bin = next;
    return bar_label(scale, bar);
}

std::string size_label(uint64_t first, uint64_t next) {
    return label(LifeScale::size, bin_of(LifeScale::size, first), bin_of(LifeScale::size, next));
}

}  // namespace

TEST_CASE("life_histogram: bars add up to all blocks, with those alive") {
    const Recording recording = watched_story(two_threads);
    const SiteRows rows(recording);
    const Histogram sizes = make_histogram(recording, rows, 0, LifeScale::size, true);
    CHECK(sizes.all == BlockSum{3, 158});
    CHECK(sizes.alive == BlockSum{1, 50});
    REQUIRE(sizes.bars.size() == 3);
    CHECK(sizes.bars[0].all == BlockSum{1, 8});
    CHECK(sizes.bars[1].alive == BlockSum{1, 50});
    const Histogram times = make_histogram(recording, rows, 0, LifeScale::time, true);
    CHECK(times.all == BlockSum{2, 108});
    CHECK(make_histogram(recording, rows, 0, LifeScale::events, false).all == BlockSum{2, 108});
}

TEST_CASE("life_histogram: labels say what is in a bar") {
    CHECK(size_label(0, 1) == "0 B");
    CHECK(size_label(8, 16) == "8-15 B");
    CHECK(size_label(512, 1024) == "512 B-1 KiB");
    CHECK(size_label(1024, 1280) == "1-1.25 KiB");
    CHECK(label(LifeScale::time, 0, 1) == "below 100 ns");
    CHECK(label(LifeScale::time, 1, 2) == "100-200 ns");
    CHECK(label(LifeScale::time, 3, 4) == "500 ns-1 us");
    CHECK(label(LifeScale::events, 0, 1) == "1");
    CHECK(label(LifeScale::events, 1, 2) == "2");
    CHECK(label(LifeScale::events, 2, 3) == "3-4");
}
