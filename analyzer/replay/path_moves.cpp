// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/path_moves.h"

#include <algorithm>
#include <tuple>

namespace memtrace::analyzer {

void PathMoves::sum_taken() {
    constexpr uint32_t growths_min = 3;  // Fewer may be blocks of any sizes.
    std::vector<std::vector<uint32_t>> by_depth;
    const auto add = [&](uint32_t frame) {
        const uint32_t depth = frames_->depth(frame);
        if (depth >= by_depth.size()) by_depth.resize(depth + 1);
        by_depth[depth].push_back(frame);
    };
    for (uint32_t frame = 0; frame < taken_.size(); ++frame) {
        if (taken_[frame].count == 0) continue;
        taken_[frame].is_plain |= taken_[frame].count < growths_min;
        add(frame);
    }
    for (size_t depth = by_depth.size(); depth-- > 1;) {
        for (size_t i = 0; i < by_depth[depth].size(); ++i) {
            const uint32_t outer = frames_->outer(by_depth[depth][i]);
            if (outer == no_stack) continue;
            taken_.grow_to(size_t{outer} + 1);
            const Taken inside = taken_[by_depth[depth][i]];
            Taken& sum = taken_[outer];
            if (sum.count == 0) add(outer);
            sum.count = std::max(sum.count, inside.count);
            sum.last = std::max(sum.last, inside.last);
            sum.is_plain |= inside.is_plain;
        }
    }
}

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
