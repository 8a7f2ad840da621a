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
    std::sort(turns.begin(), turns.end(), [](const PathTurn& a, const PathTurn& b) {
        return std::tie(a.to, a.from) < std::tie(b.to, b.from);
    });
    return turns;
}

}  // namespace memtrace::analyzer
