// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/sample_levels.h"

#include "tests/unit/test.h"

using namespace memtrace::preload;

TEST_CASE("from level to level, the interval grows fourfold, to 4 GiB", "[sample_levels]") {
    const SampleLevels levels(64 << 10);
    CHECK(levels.interval(1) == 64 << 10);
    CHECK(levels.interval(2) == 256 << 10);
    CHECK(levels.interval(9) == uint64_t{1} << 32);
    CHECK(levels.interval(17) == uint64_t{1} << 32);
    // An interval that is no power of two stays below that.
    CHECK(SampleLevels(100'000).interval(17) > uint64_t{1} << 29);
    CHECK(SampleLevels(100'000).interval(17) <= uint64_t{1} << 32);
    CHECK(SampleLevels(uint64_t{64} << 20).interval(4) == uint64_t{1} << 32);
}

TEST_CASE("distances are drawn from at most 64 MiB", "[sample_levels]") {
    for (const uint64_t first : {uint64_t{4096}, uint64_t{100'000}, uint64_t{64} << 20}) {
        const SampleLevels levels(first);
        for (unsigned level = 1; level <= 17; ++level) {
            CHECK(levels.drawn_interval(level) <= uint64_t{64} << 20);
            CHECK(levels.drawn_interval(level) << levels.thinning(level) == levels.interval(level));
        }
    }
}

TEST_CASE("a sample never becomes denser again", "[sample_levels]") {
    set_heap_mode(HeapMode::whole);
    CHECK(level_of_samples() == 1);
    raise_sample_level(3);
    raise_sample_level(2);
    CHECK(sample_level() == 3);
    CHECK(heap_mode() == HeapMode::turned);
    recording_word->sample_level.store(0);
    set_heap_mode(HeapMode::sample);
    raise_sample_level(1);
    CHECK(heap_mode() == HeapMode::sample);
    recording_word->sample_level.store(0);
    set_heap_mode(HeapMode::whole);
}
