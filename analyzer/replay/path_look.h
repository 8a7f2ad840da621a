// SPDX-License-Identifier: Apache-2.0
//
// Reads a dump for its loops only: the stacks of all acquisitions, without their blocks. Loops are
// known at the end of such a pass, so a run can be cut at their iterations in the next.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/base/progress.h"
#include "analyzer/base/tick_clock.h"
#include "analyzer/model/model.h"
#include "analyzer/reader/known_nodes.h"
#include "analyzer/replay/path_moves.h"

namespace memtrace::analyzer {

struct PathLook {
    // `nodes`: those of an earlier pass, or none.
    explicit PathLook(uint64_t ticks_per_second, StackNodes nodes = {})
        : moves(nodes), clock(ticks_per_second) {
        stacks.nodes = std::move(nodes);
    }

    StackTree stacks;
    PathMoves moves;
    TickClock clock;
    std::vector<ThreadInfo> threads;  // as in PathTurn::thread
    bool has_marked_steps = false;    // The program marks enough steps of its own.
    bool is_sample = false;           // Not every acquisition of the heap is in the dump.
};

// `step`: as SliceOptions::step. Damage is ignored here, because the next pass reports it. Throws
// Error if nothing can be read. `nodes`: as LoadOptions::nodes.
PathLook look_at_paths(const std::string& path, const std::string& step = {},
                       const Progress& progress = {}, NodeMemo* nodes = nullptr);

}  // namespace memtrace::analyzer
