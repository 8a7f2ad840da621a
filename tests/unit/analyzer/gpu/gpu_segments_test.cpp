// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_segments.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

GpuFigures figures_of(const GpuSegments& segments) {
    GpuFigures figures;
    segments.fill(figures);
    return figures;
}

constexpr uint64_t unit = 0x100;

struct Counted {
    uint64_t bytes = 0, taken = 0, cached = 0, holes = 0, largest = 0;
};

// Each unit belongs to a segment, named by its first unit, or to none (-1).
Counted count_units(const std::vector<int>& owner, const std::vector<bool>& used,
                    const std::vector<bool>& mapped) {
    const size_t count = owner.size();
    Counted result;
    uint64_t run = 0;
    std::map<int, bool> touched;
    for (uint64_t i = 0; i < count; ++i) {
        const bool is_free = owner[i] >= 0 && !used[i];
        const bool goes_on =
            run > 0 && is_free && (owner[i] == owner[i - 1] || (mapped[i] && mapped[i - 1]));
        if (is_free && !goes_on) result.holes += 1;
        run = !is_free ? 0 : goes_on ? run + unit : unit;
        result.largest = std::max(result.largest, run);
        result.bytes += owner[i] >= 0 ? unit : 0;
        result.taken += used[i] ? unit : 0;
        if (owner[i] >= 0) touched[owner[i]] = touched[owner[i]] || used[i];
    }
    for (uint64_t i = 0; i < count; ++i) {
        result.cached += owner[i] >= 0 && !touched[owner[i]] ? unit : 0;
    }
    return result;
}

}  // namespace

TEST_CASE("a segment is cut into blocks; what is free between them are holes") {
    GpuSegments segments;
    segments.add(0x1000, 0x1000, 0, false, true);
    CHECK(figures_of(segments).cached == 0x1000);
    CHECK(figures_of(segments).fragmented() == 0);
    segments.take(0x1000, 0x400);
    segments.take(0x1800, 0x400);
    CHECK(figures_of(segments).tensors == 0x800);
    CHECK(figures_of(segments).cached == 0);
    CHECK(figures_of(segments).fragmented() == 0x800);
    CHECK(figures_of(segments).holes == 2);
    CHECK(figures_of(segments).largest_hole == 0x400);
    segments.give(0x1800, 0x400);
    CHECK(figures_of(segments).holes == 1);
    CHECK(figures_of(segments).largest_hole == 0xc00);
    segments.give(0x1000, 0x400);
    CHECK(figures_of(segments).cached == 0x1000);
    segments.remove(0x1000, 0x1001);
    CHECK(segments.bytes() == 0);
    CHECK(figures_of(segments).holes == 0);
}

TEST_CASE("neighbours that were mapped are one piece, others are not") {
    GpuSegments mapped;
    mapped.add(0x1000, 0x1000, 0, true, true);
    mapped.add(0x2000, 0x1000, 0, true, true);
    CHECK(figures_of(mapped).largest_hole == 0x2000);
    mapped.take(0x1800, 0x1000);  // across both
    CHECK(figures_of(mapped).tensors == 0x1000);
    CHECK(figures_of(mapped).cached == 0);
    mapped.give(0x1800, 0x1000);
    CHECK(figures_of(mapped).holes == 1);
    mapped.remove(0x2000, 0x3000);
    CHECK(figures_of(mapped).largest_hole == 0x1000);

    GpuSegments plain;
    plain.add(0x1000, 0x1000, 0, false, true);
    plain.add(0x2000, 0x1000, 0, false, true);
    CHECK(figures_of(plain).holes == 2);
    CHECK(figures_of(plain).largest_hole == 0x1000);
}

TEST_CASE("somebody else's memory becomes a segment with the first block in it") {
    GpuSegments segments;
    segments.add(0x1000, 0x1000, 7, false, false);
    CHECK(segments.bytes() == 0);
    segments.take(0x1100, 0x100);
    CHECK(segments.bytes() == 0x1000);
    CHECK(figures_of(segments).lent == std::vector<std::pair<uint32_t, uint64_t>>{{7, 0x1000}});
    segments.remove(0x1000, 0x2000);
    CHECK(figures_of(segments).lent.empty());
    CHECK(segments.used() == 0);
    segments.give(0x1100, 0x100);  // The block ends after its segment is gone.
    CHECK(figures_of(segments).holes == 0);
}

TEST_CASE("a block outside of all segments is nobody's") {
    GpuSegments segments;
    segments.add(0x1000, 0x1000, 0, false, true);
    segments.take(0x8000, 0x100);
    segments.take(0x1f00, 0x200);  // half of it
    CHECK(segments.used() == 0x100);
}

TEST_CASE("the largest holes come first") {
    GpuSegments segments;
    segments.add(0x1000, 0x1000, 0, false, true);
    segments.take(0x1100, 0x100);
    segments.take(0x1400, 0x100);
    const auto holes = segments.largest_holes(2);
    REQUIRE(holes.size() == 2);
    CHECK(holes[0].address == 0x1500);
    CHECK(holes[0].bytes == 0xb00);
    CHECK(holes[1].address == 0x1200);
    CHECK(holes[1].bytes == 0x200);
}

// Each unit of each segment is free or used. Everything is counted again after each step.
TEST_CASE("random blocks and segments, against counting units") {
    constexpr uint64_t count = 64;
    for (unsigned seed = 0; seed < 60; ++seed) {
        std::mt19937 random(seed);
        GpuSegments segments;
        std::vector<int> owner(count, -1);  // of each unit: the segment, by its begin
        std::vector<bool> used(count), mapped(count);
        std::map<uint64_t, uint64_t> blocks;
        for (int step = 0; step < 300; ++step) {
            const uint64_t begin = random() % count;
            const uint64_t size = 1 + random() % std::min<uint64_t>(12, count - begin);
            const auto is_all = [&](auto&& test) {
                for (uint64_t i = begin; i < begin + size; ++i) {
                    if (!test(i)) return false;
                }
                return true;
            };
            if (random() % 4 == 0 && is_all([&](uint64_t i) { return owner[i] < 0; })) {
                const bool is_mapped = random() % 2 == 0;
                segments.add(begin * unit, size * unit, 0, is_mapped, true);
                for (uint64_t i = begin; i < begin + size; ++i) {
                    owner[i] = static_cast<int>(begin);
                    mapped[i] = is_mapped;
                }
            } else if (random() % 3 == 0 && owner[begin] >= 0) {
                const auto first = static_cast<uint64_t>(owner[begin]);
                uint64_t end = first;
                while (end < count && owner[end] == static_cast<int>(first)) ++end;
                const bool is_free = std::none_of(used.begin() + static_cast<long>(first),
                                                  used.begin() + static_cast<long>(end),
                                                  [](bool is_used) { return is_used; });
                if (!is_free) continue;
                segments.remove(first * unit, end * unit);
                std::fill(owner.begin() + static_cast<long>(first),
                          owner.begin() + static_cast<long>(end), -1);
            } else if (!blocks.empty() && random() % 3 == 0) {
                const auto block = blocks.begin();
                segments.give(block->first * unit, block->second * unit);
                for (uint64_t i = 0; i < block->second; ++i) used[block->first + i] = false;
                blocks.erase(block);
            } else if (is_all([&](uint64_t i) {
                           return owner[i] >= 0 && !used[i] &&
                                  (owner[i] == owner[begin] || (mapped[i] && mapped[begin]));
                       })) {
                segments.take(begin * unit, size * unit);
                blocks[begin] = size;
                for (uint64_t i = begin; i < begin + size; ++i) used[i] = true;
            }
            const Counted expected = count_units(owner, used, mapped);
            const GpuFigures figures = figures_of(segments);
            INFO("seed " << seed << " step " << step);
            REQUIRE(figures.segments == expected.bytes);
            REQUIRE(figures.tensors == expected.taken);
            REQUIRE(figures.cached == expected.cached);
            REQUIRE(figures.holes == expected.holes);
            REQUIRE(figures.largest_hole == expected.largest);
        }
    }
}
