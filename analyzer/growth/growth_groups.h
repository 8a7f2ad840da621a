// SPDX-License-Identifier: Apache-2.0
//
// Combines call sites that grow together. A Python list that keeps graphs leaks at dozens of call
// stacks, which have in common the line that made the graph. And a leak below a recursion may
// leave each stack with a block or two, too few to judge, although together they are many.
//
// So call sites are put into the tree of their callers, from the outside inwards, and combined
// from the inside outwards:
//
//   * Leaks that grow in step (they began at the same time, and each slice has the same share of
//     each) are combined at the frame where they part. They must be numerous, or lines of one
//     function.
//   * Survivors that are too few are added up at each caller until they are enough.
//   * Leaks of one line below a recursion are one, however deep it went.
//   * What is left of one line is added up, whoever called it, with the groups of that line.
//
// Code that is loaded again lies elsewhere, so a plugin that is loaded 400 times has 400 call
// stacks with a block each. They are one place, and judged as one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analyzer/growth/growth_curves.h"
#include "analyzer/growth/growth_judge.h"
#include "analyzer/growth/growth_paths.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

// A call site that leaks, or that has too few survivors.
struct GrowingSite {
    uint32_t site = 0;  // index into Space::sites
    uint32_t path = 0;  // number of its path
    bool leaks = false;
};

struct GrowingGroup {
    std::vector<uint32_t> sites;
    std::vector<FrameId> path;  // frames in common, outermost first
    Judgement judgement;
};

// Returns a number that is the same for sites whose stacks read the same, frame for frame.
using PlaceOf = std::function<uint64_t(uint32_t site)>;

// What is known of frames and stacks.
struct GrowthPlaces {
    const GrowthPaths& paths;
    const std::vector<bool>& own;  // by frame: a line of the user's own code
    PlaceOf place_of;
};

// Returns groups of sites. Each group leaks, or is not sure to.
std::vector<GrowingGroup> group_growth(const Space& space, const Symbols& symbols,
                                       const GrowthCurves& curves, const GrowthPlaces& places,
                                       std::vector<GrowingSite> sites);

}  // namespace memtrace::analyzer
