// SPDX-License-Identifier: Apache-2.0
//
// The sites of a report as programs read them: one for each call stack, unless that is too much.
//
// Importing a large Python package leaves hundreds of thousands of stacks of eighty frames: ten
// gigabytes of JSON that nobody can open. Where whole stacks would pass a limit, stacks are cut to
// their innermost frames, as many as fit, and sites that are then equal become one, unless they
// went backward for different lines. Every block still belongs to a site, and sums stay what they
// are.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/frames/stack_view.h"

namespace memtrace::analyzer {

struct ListedSite {
    uint32_t stack = no_stack;  // of the first site that it stands for
    uint64_t sites = 1;         // how many it stands for
    // own_peak_bytes of several sites together is not known; this is the least that it can be.
    Totals totals;
};

struct SiteList {
    uint32_t depth = 0;  // innermost frames that count; 0: whole stacks
    std::vector<ListedSite> sites;
};

inline constexpr uint64_t listed_frames_max = 100'000;

// `wanted` are the sites of one space; `frames_max` limits the frames of the whole list,
// of those that `view` shows.
SiteList list_sites(const std::vector<Site>& wanted, const StackView& view, uint64_t frames_max);

}  // namespace memtrace::analyzer
