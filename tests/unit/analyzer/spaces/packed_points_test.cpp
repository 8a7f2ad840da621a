// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/packed_points.h"

#include <algorithm>
#include <map>
#include <random>

#include "tests/tools/repetitions.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

using Key = std::pair<uint32_t, uint32_t>;

std::map<Key, CutPoint> read_all(PackedStream stream) {
    std::map<Key, CutPoint> result;
    CutPoint point;
    Key before{0, 0};
    for (bool is_first = true; stream.read(point); is_first = false) {
        const Key key{point.site, point.cut};
        REQUIRE((is_first || before < key));  // sorted, each once
        result[key] = point;
        before = key;
    }
    return result;
}

// Adds `count` random points, and gives up most cuts from time to time.
void check_random(PackedPoints::Merge merge, unsigned seed, size_t count) {
    std::mt19937_64 random(seed);
    HistoryCuts cuts;
    std::vector<uint32_t> kept;
    PackedPoints points(merge);
    std::vector<CutPoint> added;
    std::map<uint32_t, uint32_t> last_cut;  // by site
    cuts.make();
    kept.push_back(0);
    for (size_t i = 0; i < count; ++i) {
        if (random() % 50 == 0) kept.push_back(cuts.make());
        if (random() % 20'000 == 0) {
            std::erase_if(kept, [&](uint32_t) { return random() % 3 != 0; });
            cuts.keep(kept);
        }
        const auto site = static_cast<uint32_t>(random() % 700);
        const uint32_t cut = cuts.made() - 1;
        if (merge == PackedPoints::Merge::last) {
            // As SpaceHistory does: one point for each cut, and none for a cut that is given up.
            const auto known = last_cut.find(site);
            if (kept.empty() || kept.back() != cut) continue;
            if (known != last_cut.end() && known->second >= cut) continue;
            last_cut[site] = cut;
        }
        const CutPoint point{site, cut, random() >> random() % 64, random() % 1000, i};
        points.add(point, cuts);
        added.push_back(point);
    }
    std::map<Key, CutPoint> wanted;
    for (CutPoint point : added) {
        point.cut = cuts.resolve(point.cut);
        const auto [entry, is_new] = wanted.try_emplace({point.site, point.cut}, point);
        if (is_new) continue;
        if (merge == PackedPoints::Merge::sum) {
            point.bytes += entry->second.bytes;
            point.blocks += entry->second.blocks;
            point.allocations += entry->second.allocations;
        }
        entry->second = point;
    }
    const std::map<Key, CutPoint> got = read_all(points.take(cuts));
    REQUIRE(got.size() == wanted.size());
    for (const auto& [key, point] : wanted) {
        const CutPoint& other = got.at(key);
        REQUIRE(other.bytes == point.bytes);
        REQUIRE(other.blocks == point.blocks);
        REQUIRE(other.allocations == point.allocations);
    }
}

}  // namespace

TEST_CASE("points are sorted, and those of cuts that were given up become one") {
    for (unsigned seed = 0; seed < std::max(memtrace::test::repetitions(4), 1u); ++seed) {
        check_random(PackedPoints::Merge::last, seed, 400'000);
        check_random(PackedPoints::Merge::sum, seed, 100'000);
    }
}

TEST_CASE("a cut that is given up stands for the next that is kept") {
    HistoryCuts cuts;
    for (uint32_t i = 0; i < 6; ++i) CHECK(cuts.make() == i);
    cuts.keep({0, 2, 4});
    CHECK(cuts.resolve(0) == 0);
    CHECK(cuts.resolve(1) == 2);
    CHECK(cuts.resolve(3) == 4);
    CHECK(cuts.resolve(5) == 6);  // not made yet
    CHECK(cuts.make() == 6);
    CHECK(cuts.resolve(6) == 6);
}

TEST_CASE("after the points were taken there are none") {
    HistoryCuts cuts;
    cuts.make();
    PackedPoints points(PackedPoints::Merge::sum);
    points.add({1, 0, 10, 1, 0}, cuts);
    CHECK(read_all(points.take(cuts)).size() == 1);
    points.add({2, 0, 10, 1, 0}, cuts);
    points.clear();
    CHECK(read_all(points.take(cuts)).empty());
}
