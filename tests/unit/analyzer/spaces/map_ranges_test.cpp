// SPDX-License-Identifier: Apache-2.0
#include "analyzer/spaces/map_ranges.h"

#include <random>

#include "tests/unit/test.h"

using memtrace::analyzer::MapRanges;

// The oracle has one entry per page.
TEST_CASE("pieces always equal a page by page account") {
    constexpr uint64_t pages = 200;
    for (unsigned seed = 0; seed < 50; ++seed) {
        std::mt19937 random(seed);
        MapRanges ranges;
        std::vector<uint32_t> owner(pages, 0);
        for (uint32_t mapping = 1; mapping < 300; ++mapping) {
            const uint64_t begin = random() % pages;
            const uint64_t end = begin + random() % (pages - begin + 1);
            std::vector<MapRanges::Piece> taken;
            ranges.take(begin, end, taken);
            std::vector<uint32_t> got(pages, 0);
            for (const MapRanges::Piece& piece : taken) {
                REQUIRE(piece.begin < piece.end);
                for (uint64_t page = piece.begin; page < piece.end; ++page)
                    got[page] = piece.mapping;
            }
            for (uint64_t page = 0; page < pages; ++page) {
                const bool inside = page >= begin && page < end;
                REQUIRE(got[page] == (inside ? owner[page] : 0));
                if (inside) owner[page] = 0;
            }
            if (random() % 3 != 0) {
                ranges.put(begin, end, mapping);
                for (uint64_t page = begin; page < end; ++page) owner[page] = mapping;
            }
        }
        std::vector<uint32_t> left(pages, 0);
        ranges.for_each([&](const MapRanges::Piece& piece) {
            for (uint64_t page = piece.begin; page < piece.end; ++page) left[page] = piece.mapping;
        });
        REQUIRE(left == owner);
    }
}
