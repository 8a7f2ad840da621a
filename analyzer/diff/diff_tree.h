// SPDX-License-Identifier: Apache-2.0
//
// The call stacks of both recordings as one tree, for a page. It is bounded as that of
// page_stacks.h: only the nodes with the largest shares are kept, of a figure of either recording
// or of its change, and a site below a node that is left out belongs to the nearest caller that is
// kept. Both recordings are cut at the same nodes, so no change comes from the cut.
//
// Lines and call sites are bounded in the same way: one more stands for all that have no room.
//
// Nothing is left out of the sums: the sites of a space add up to its totals, on both sides.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/diff/diff.h"

namespace memtrace::analyzer {

struct DiffTreeSite {
    uint32_t node = 0;
    uint32_t line = 0;       // index into DiffTree::lines
    uint64_t stacks = 0;     // that were merged
    bool is_folded = false;  // At least one of them goes on below the node.
    DiffPair figures;
};

struct DiffTreeSpace {
    std::vector<DiffTreeSite> sites;  // by node and line
    uint64_t stacks = 0;
    uint64_t folded_stacks = 0;
    std::vector<uint32_t> places;  // the largest call sites, by index into DiffedSpace::sites
    size_t places_left_out = 0;
    DiffPair left_out;  // their figures
};

struct DiffTree {
    std::vector<ShownFrame> frames;
    std::vector<DiffNode> nodes;
    size_t all_nodes = 0;               // before the smallest were left out
    std::vector<uint32_t> lines;        // by index into Diff::lines
    std::vector<uint32_t> line_frames;  // their frames in the tree; no_frame: none has its name
    size_t lines_left_out = 0;          // If there are any, they share one more line, the last.
    std::vector<DiffTreeSpace> spaces;  // in the order of Diff::spaces
};

// Both sides must have stacks. Keeps at most `nodes_max` nodes.
DiffTree make_diff_tree(const Diff& diff, size_t nodes_max);

}  // namespace memtrace::analyzer
