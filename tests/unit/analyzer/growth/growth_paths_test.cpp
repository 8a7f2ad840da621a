// SPDX-License-Identifier: Apache-2.0
//
// Paths of call sites, each stored once.
#include "analyzer/growth/growth_paths.h"

#include <vector>

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("equal paths have one number, and paths are in the order of their frames") {
    GrowthPaths paths;
    const std::vector<FrameId> longer{1, 2, 3}, other{1, 5}, shorter{1, 2}, none{};
    CHECK(paths.add(longer) == 0);
    CHECK(paths.add(other) == 1);
    CHECK(paths.add(shorter) == 2);
    CHECK(paths.add(longer) == 0);
    CHECK(paths.add(none) == 3);
    CHECK(paths.size() == 4);
    CHECK(std::vector<FrameId>(paths[1].begin(), paths[1].end()) == other);
    CHECK(paths[3].empty());
    // none, shorter, longer, other
    CHECK(paths.places() == std::vector<uint32_t>{2, 3, 1, 0});
}
