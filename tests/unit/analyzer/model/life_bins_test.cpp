// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/life_bins.h"

#include <random>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("life_bins: every value is in its bin, and bins follow each other") {
    std::mt19937_64 random(1);
    for (const LifeScale scale : {LifeScale::size, LifeScale::time, LifeScale::events}) {
        for (int i = 0; i < 20'000; ++i) {
            const uint64_t value = i < 3000 ? static_cast<uint64_t>(i) : random() >> random() % 64;
            const uint32_t bin = bin_of(scale, value);
            CHECK(bin_begin(scale, bin) <= value);
            CHECK((value < bin_begin(scale, bin + 1) || bin_begin(scale, bin + 1) == UINT64_MAX));
        }
        for (uint32_t bin = 0; bin < 30; ++bin) {
            CHECK(bin_begin(scale, bin) < bin_begin(scale, bin + 1));
            CHECK(whole_bin(scale, bin) <= bin);
        }
    }
}

TEST_CASE("life_bins: sizes have four bins for each power of two") {
    CHECK(bin_of(LifeScale::size, 0) == 0);
    CHECK(bin_of(LifeScale::size, 64) + 1 == bin_of(LifeScale::size, 80));
    CHECK(bin_of(LifeScale::size, 64) == bin_of(LifeScale::size, 79));
    CHECK(whole_bin(LifeScale::size, bin_of(LifeScale::size, 127)) == bin_of(LifeScale::size, 64));
    CHECK(whole_bin(LifeScale::size, bin_of(LifeScale::size, 3)) == 2);
}

TEST_CASE("life_bins: a life of one event is a bar of its own") {
    CHECK(bin_of(LifeScale::events, 1) == 0);
    CHECK(bin_of(LifeScale::events, 2) == 1);
    CHECK(bin_of(LifeScale::events, 3) == bin_of(LifeScale::events, 4));
    CHECK(bin_begin(LifeScale::events, bin_of(LifeScale::events, 5)) == 5);
    CHECK(bin_begin(LifeScale::time, bin_of(LifeScale::time, 499)) == 200);
}
