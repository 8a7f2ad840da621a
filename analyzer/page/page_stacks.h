// SPDX-License-Identifier: Apache-2.0
//
// The call sites of all spaces for a page: one tree of calls, and in each space the sites that end
// at its nodes. The page must stay small, so only the nodes with the largest shares are kept, and a
// site below a node that is left out belongs to the nearest caller that is kept:
//
//   recorded                            kept (3 nodes)
//
//   main ─ train ─ forward   5.0 MiB    main ─ train ─ forward   5.0 MiB
//               └─ log         300 B              └ ends here      312 B, folded from 2 stacks
//               └─ print        12 B
//
// The same is done with the user's own lines: those with the largest shares have rows, and one more
// row stands for the rest.
//
// Nothing is left out of the sums: the sites of a space add up to its totals, field by field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/frames/stack_view.h"
#include "analyzer/model/site_history.h"
#include "analyzer/sites/own_lines.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct PageSite {
    uint32_t node = 0;       // index into PageStacks::nodes
    uint32_t row = 0;        // index into PageStacks::rows
    uint64_t stacks = 0;     // recorded stacks that were merged
    bool is_folded = false;  // At least one of them goes on below the node.
    Totals totals;           // own_peak_bytes is the sum over the stacks, an upper bound
    std::vector<HeldPoint> held;
};

struct PageNode {
    uint32_t parent = 0;  // index of the caller, smaller than that of the node; node 0 is the root
    FrameId frame = no_frame;
};

struct PageSpace {
    std::vector<PageSite> sites;     // by node
    std::vector<uint32_t> of_sites;  // by recorded site: index into `sites`
    uint64_t folded_stacks = 0;      // stacks that go on below their node
    uint64_t folded_at_peak = 0;     // their bytes at the peak
};

// The sites of a space by their number in the replay.
class PageSiteNumbers {
public:
    static constexpr uint32_t none = 0xffffffff;

    PageSiteNumbers(const Space& space, const PageSpace& page);

    // Returns the index into PageSpace::sites; none: filters left the site out.
    uint32_t site_of(uint32_t number) const {
        return number < sites_.size() ? sites_[number] : none;
    }

private:
    std::vector<uint32_t> sites_;
};

struct PageStacks {
    std::vector<PageNode> nodes;
    std::vector<PageSpace> spaces;  // in the order of the model
    size_t all_nodes = 0;           // before the smallest were left out
    std::vector<uint32_t> rows;     // by index into OwnLines::rows
    size_t rows_left_out = 0;       // If there are any, they share one more row, the last.
};

// Keeps at most `nodes_max` nodes. `lines` has the rows of all sites.
PageStacks make_page_stacks(const Recording& recording, const OwnLines& lines,
                            const StackView& view, size_t nodes_max);

}  // namespace memtrace::analyzer
