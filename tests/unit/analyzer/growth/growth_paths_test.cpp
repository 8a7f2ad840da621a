// SPDX-License-Identifier: Apache-2.0
//
// Paths of call sites, each stored once.
#include "analyzer/growth/growth_paths.h"

#include <span>
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

TEST_CASE("paths have their ends in common, and no frame counts for both") {
    GrowthPaths paths;
    const auto add = [&](const std::vector<FrameId>& path) { return paths.add(path); };
    const uint32_t deep = add({1, 7, 7, 7, 5, 3}), flat = add({1, 7, 5, 3}), other = add({1, 5, 3});
    CHECK(paths.common_ends({deep}) == std::vector<FrameId>{1, 7, 7, 7, 5, 3});
    CHECK(paths.common_ends({deep, flat}) == std::vector<FrameId>{1, 7, 5, 3});
    CHECK(paths.common_ends({deep, flat, other}) == std::vector<FrameId>{1, 5, 3});
    CHECK(paths.common_ends({deep, add({2, 4})}).empty());
}

TEST_CASE("a path through a function that calls itself has an inside: its innermost own line") {
    // main, visit and visit's other line, leaf, malloc. The last is a library's.
    Symbols symbols;
    for (const char* function : {"main", "visit", "visit", "leaf", "malloc"}) {
        Frame frame;
        frame.function = function;
        symbols.frames.push_back(frame);
    }
    const std::vector<bool> own{true, true, true, true, false};
    GrowthPaths paths;
    const auto inside = [&](const std::vector<FrameId>& path) {
        const std::span<const FrameId> found = Recursion(symbols, paths, own).inside(path);
        return std::vector<FrameId>(found.begin(), found.end());
    };
    paths.add(std::vector<FrameId>{0, 1, 3, 4});
    CHECK(inside({0, 1, 3, 4}).empty());  // visit() has not called itself so far.
    paths.add(std::vector<FrameId>{0, 1, 2, 3, 4});
    CHECK(inside({0, 1, 2, 3, 4}) == std::vector<FrameId>{3, 4});
    CHECK(inside({0, 1, 3, 4}) == std::vector<FrameId>{3, 4});
    CHECK(inside({0, 1, 4}) == std::vector<FrameId>{1, 4});
    CHECK(inside({0, 3, 4}).empty());
    CHECK(inside({4, 4}).empty());
}
