// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/path_moves.h"

#include <algorithm>
#include <tuple>

namespace memtrace::analyzer {

std::vector<PathTurn> PathMoves::turns() const {
    std::vector<PathTurn> turns;
    turns.reserve(turns_.size());
    turns_.for_each([&](uint32_t to, uint32_t from, const Count& count) {
        turns.push_back({from, to, count.count, count.thread, count.first, count.last});
    });
    const auto lies_before = [](const PathTurn& a, const PathTurn& b) {
        return std::tie(a.to, a.from) < std::tie(b.to, b.from);
    };
    // Turns to the same node come one after another, and nearly all nodes in their order. What does
    // not comes at the end.
    const auto others =
        std::is_sorted_until(turns.begin(), turns.end(),
                             [](const PathTurn& a, const PathTurn& b) { return a.to < b.to; });
    for (auto begin = turns.begin(); begin != others;) {
        const auto end =
            std::find_if(begin, others, [&](auto& turn) { return turn.to != begin->to; });
        std::sort(begin, end, lies_before);
        begin = end;
    }
    std::sort(others, turns.end(), lies_before);
    std::inplace_merge(turns.begin(), others, turns.end(), lies_before);
    return turns;
}

}  // namespace memtrace::analyzer
