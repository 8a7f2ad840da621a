// SPDX-License-Identifier: Apache-2.0
//
// The sites of a space merged for people: one group for each place in their own code, and below it
// a tree of callers.
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

#include "analyzer/base/long_list.h"
#include "analyzer/frames/user_code.h"
#include "analyzer/model/measure.h"
#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

inline constexpr FrameId no_frame = 0xffffffff;  // frame of a site without a stack

struct Caller {
    FrameId frame = no_frame;
    Totals totals;                  // of all stacks through this node
    uint32_t period = 1;            // number of lines, ending here, that a recursion repeats
    uint32_t repeats = 1;           // least number of repetitions in a row
    uint32_t repeats_max = 1;       // greatest number of repetitions in any of the stacks
    bool skips = false;             // Frames inside this one are not in the table.
    bool cut = false;               // Outer callers exist but are not in the table.
    std::vector<uint32_t> callers;  // indices into SiteTable::nodes, the largest first
};

struct SiteTable {
    Measure measure = Measure::at_peak;
    LongList<Caller> nodes;
    std::vector<uint32_t> groups;  // indices into nodes, the largest first
};

struct TableOptions {
    size_t depth = 8;                 // lines of one stack
    bool all_frames = false;          // shows libraries and allocators, too
    bool interpreter_frames = false;  // shows those that stack_view.h leaves out, too
    size_t top = SIZE_MAX;            // groups, the largest, that get their callers
    bool zeros = true;                // a tree: also sites with nothing to show
    const CodePatterns* code =
        nullptr;  // The innermost line of own code is always shown. Null: not.
};

// All groups have their totals. Those that will not be shown have no callers, which saves most of
// the time and memory of a large run. Leaves out sites with a measure of 0, except those that leak
// blocks of no bytes.
SiteTable make_site_table(const Space& space, const Symbols& symbols, Measure measure,
                          const TableOptions& options);

}  // namespace memtrace::analyzer
