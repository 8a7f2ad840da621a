// SPDX-License-Identifier: Apache-2.0
//
// The sites of a space, merged for people: one group for each place in their own code, and under
// it a tree of callers.
//
//   sites of the model (one per stack)          the table (innermost first)
//
//   300 B  malloc < new < make < step < main    make  700 B
//   100 B  malloc < new < make < step < main      step  400 B
//   300 B  malloc < new < make < test < main        main
//                                                 test  300 B
//                                                   main
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/model/measure.h"
#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

inline constexpr FrameId no_frame = 0xffffffff;  // of a site without a stack

struct Caller {
    FrameId frame = no_frame;
    Totals totals;                  // of all stacks that come through here
    uint32_t period = 1;            // so many lines, ending here,
    uint32_t repeats = 1;           // were there so many times in a row (recursion),
    uint32_t repeats_max = 1;       // up to so many in some of the stacks
    bool skips = false;             // Frames inside of this one are not in the table.
    bool cut = false;               // Callers further out exist and are not in the table.
    std::vector<uint32_t> callers;  // indices into SiteTable::nodes, the largest first
};

struct SiteTable {
    Measure measure = Measure::at_peak;
    std::vector<Caller> nodes;
    std::vector<uint32_t> groups;  // indices into nodes, the largest first
};

struct TableOptions {
    size_t depth = 8;                 // lines of one stack
    bool all_frames = false;          // libraries and allocators too
    bool interpreter_frames = false;  // those that stack_view.h leaves out too
};

// Sites whose measure is zero are left out.
SiteTable make_site_table(const Space& space, const Symbols& symbols, Measure measure,
                          const TableOptions& options);

}  // namespace memtrace::analyzer
