// SPDX-License-Identifier: Apache-2.0
//
// The sites of a report for programs: one for each call stack, unless that is too much.
//
// Importing a large Python package leaves hundreds of thousands of stacks of eighty frames. Their
// JSON takes ten gigabytes, too much to open. If whole stacks would exceed a limit, all stacks are
// cut to as many innermost frames as fit. Sites with equal stacks are then merged, unless they went
// backward for different lines. Every block still belongs to a site, and sums do not change.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/frames/stack_view.h"

namespace memtrace::analyzer {

struct ListedSite {
    uint32_t stack = no_stack;  // stack of the first merged site
    uint64_t sites = 1;         // number of merged sites
    // own_peak_bytes of several sites together is not known. The value here is its lower bound.
    Totals totals;
};

struct SiteList {
    uint32_t depth = 0;  // innermost frames that are kept; 0: whole stacks
    std::vector<ListedSite> sites;
};

inline constexpr uint64_t listed_frames_max = 100'000;

// `wanted` contains the sites of one space. `frames_max` limits the frames of the whole list that
// `view` shows.
SiteList list_sites(const Sites& wanted, const StackView& view, uint64_t frames_max);

}  // namespace memtrace::analyzer
