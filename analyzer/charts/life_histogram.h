// SPDX-License-Identifier: Apache-2.0
//
// The bars of one space, summed over sites, with the own line that has most blocks of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analyzer/charts/site_rows.h"
#include "analyzer/model/life_bins.h"

namespace memtrace::analyzer {

struct HistogramBar {
    uint32_t bin = 0;       // the first of its bins
    uint32_t next_bin = 1;  // the first bin behind it
    BlockSum all;
    BlockSum alive;    // part of `all`; sizes only
    uint32_t row = 0;  // the own line with most blocks
    BlockSum of_row;   // part of `all`
};

struct Histogram {
    LifeScale scale = LifeScale::size;
    std::vector<HistogramBar> bars;  // the smallest values first; none is empty
    BlockSum all;
    BlockSum alive;
};

// With `fine`, each bin is a bar. Otherwise sizes are bars by powers of two, and only those that
// have a large part of the space's blocks or bytes are divided further.
Histogram make_histogram(const Recording& recording, const SiteRows& rows, size_t space,
                         LifeScale scale, bool fine);

// Returns what pools and graphs of a GPU's driver keep at the end, by name. It is in no block.
std::map<std::string, uint64_t> kept_beside_blocks(const Recording& recording, size_t space);

// Returns "8-15 B", "1-1.25 KiB", "500 ns-1 us", "5-8".
std::string bar_label(LifeScale scale, const HistogramBar& bar);

}  // namespace memtrace::analyzer
