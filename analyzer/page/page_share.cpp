// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_share.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace memtrace::analyzer {

NodeShares::NodeShares(size_t nodes, ParentOf parent_of)
    : parent_of_(std::move(parent_of)), sums_(nodes), shares_(nodes) {}

void NodeShares::finish_figure() {
    for (size_t node = sums_.size(); node-- > 1;) {
        sums_[parent_of_(static_cast<uint32_t>(node))] += sums_[node];
    }
    const double whole = sums_[0];
    for (size_t node = 0; node < sums_.size() && whole != 0; ++node) {
        shares_[node] = std::max(shares_[node], static_cast<float>(sums_[node] / whole));
    }
    std::fill(sums_.begin(), sums_.end(), 0);
}

std::vector<bool> largest_shares(const std::vector<float>& shares, size_t most) {
    std::vector<bool> kept(shares.size(), true);
    if (shares.size() <= most) return kept;
    std::vector<uint32_t> order(shares.size());
    std::iota(order.begin(), order.end(), 0);
    const auto larger = [&](uint32_t a, uint32_t b) {
        return shares[a] != shares[b] ? shares[a] > shares[b] : a < b;
    };
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(order.begin(), end, order.end(), larger);
    for (auto node = end; node != order.end(); ++node) kept[*node] = false;
    return kept;
}

}  // namespace memtrace::analyzer
