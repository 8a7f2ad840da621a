// SPDX-License-Identifier: Apache-2.0
//
// Which parts of a recording are the largest, so that a page which must stay small has room for
// them: the share that a part has of any figure counts, so what is small at the peak but was
// allocated most is kept as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace memtrace::analyzer {

// The shares of the nodes of a tree: of each, the largest share that its subtree has of a figure.
// No node has a larger share than its caller.
class NodeShares {
public:
    // Returns the caller of a node, which has a smaller number. Node 0 is the root.
    using ParentOf = std::function<uint32_t(uint32_t node)>;

    NodeShares(size_t nodes, ParentOf parent_of);

    // Counts what ends at a node, for the figure that is being added up.
    void add(uint32_t node, double value) { sums_[node] += value; }
    // The figure is complete.
    void finish_figure();

    const std::vector<float>& shares() const { return shares_; }

private:
    ParentOf parent_of_;
    std::vector<double> sums_;
    std::vector<float> shares_;
};

// Returns for each part if it is among the `most` with the largest shares. Callers of kept nodes
// are kept, because of two parts with equal shares the one with the smaller number is the larger.
std::vector<bool> largest_shares(const std::vector<float>& shares, size_t most);

}  // namespace memtrace::analyzer
