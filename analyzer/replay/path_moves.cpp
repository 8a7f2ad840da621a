// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/path_moves.h"

#include <algorithm>
#include <tuple>

namespace memtrace::analyzer {

std::vector<PathTurn> PathMoves::turns() const {
    std::vector<PathTurn> turns;
    turns.reserve(turns_.size());
    for (const auto& [nodes, count] : turns_) {
        turns.push_back({static_cast<uint32_t>(nodes >> 32), static_cast<uint32_t>(nodes),
                         count.count, count.thread, count.first, count.last});
    }
    std::sort(turns.begin(), turns.end(), [](const PathTurn& a, const PathTurn& b) {
        return std::tie(a.to, a.from) < std::tie(b.to, b.from);
    });
    return turns;
}

}  // namespace memtrace::analyzer
