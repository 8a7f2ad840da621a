// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/path_moves.h"

#include <algorithm>
#include <tuple>

namespace memtrace::analyzer {

void PathMoves::sum_taken() {
    constexpr uint32_t growths_min = 3;  // Fewer may be blocks of any sizes.
    for (size_t frame = 0; frame < taken_.size(); ++frame) {
        if (taken_[frame].count > 0) taken_[frame].is_plain |= taken_[frame].count < growths_min;
    }
    // Nearly all frames have a smaller number than the frames inside of them. What is added twice
    // makes no difference, so the others are added to all around them at once.
    for (auto next = static_cast<uint32_t>(taken_.size()); next-- > 0;) {
        if (taken_[next].count == 0) continue;
        uint32_t frame = next;
        do {
            const uint32_t outer = frames_->outer(frame);
            if (outer == no_stack) break;
            taken_.grow_to(size_t{outer} + 1);
            taken_[outer].add_inside(taken_[frame]);
            frame = outer;
        } while (frame > next);
    }
}

std::vector<PathTurn> PathMoves::turns() const {
    std::vector<PathTurn> turns;
    turns.reserve(turns_.size());
    turns_.for_each([&](uint32_t to, uint32_t from, const Count& count) {
        PathTurn turn{from, to, count.count, count.thread, nullptr, count.first, count.last};
        if ((count.thread & several) != 0) {
            const auto& [first, threads] = several_[count.thread & ~several];
            turn.thread = first;
            turn.threads = &threads;
        }
        turns.push_back(turn);
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
