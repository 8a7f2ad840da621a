// SPDX-License-Identifier: Apache-2.0
//
// The sites of a space merged from the outermost frame inwards: a tree of calls from the start of
// each thread. Its order is the reverse of a SiteTable's, and nothing is left out. The totals of a
// node are its own (of stacks that end there) plus those of its callees.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

struct Call {
    FrameId frame = no_frame;
    uint32_t parent = 0xffffffff;  // index into CallTree::nodes
    Totals totals;
    Totals own;
    std::vector<uint32_t> callees;  // indices into CallTree::nodes, the largest first
};

struct CallTree {
    std::vector<Call> nodes;      // callers before their callees
    std::vector<uint32_t> roots;  // indices into nodes, the largest first
};

// Ignores TableOptions::depth.
CallTree make_call_tree(const Space& space, const Symbols& symbols, Measure measure,
                        const TableOptions& options);

}  // namespace memtrace::analyzer
