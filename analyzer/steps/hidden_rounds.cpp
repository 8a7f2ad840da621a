// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/hidden_rounds.h"

#include <algorithm>
#include <utility>

namespace memtrace::analyzer {

void HiddenRounds::find(const std::vector<Within>& within) {
    for (const Within& turn : within) hide(turn);
    for (auto& [key, level] : places_.levels().all()) {
        for (const auto& [at, turns] : level.unsure) {
            if (may_begin_again(level, at, turns)) level.add_hidden(at);
            for (const UnsureTurn& turn : turns) hide({at, at, turn.place, {}});
        }
    }
    const StackNodes& nodes = places_.nodes();
    for (uint32_t node = static_cast<uint32_t>(nodes.size()); node-- > 1;) {
        if (pending_[node] == 0) continue;
        bool goes_on = true;
        const size_t frames = places_.dull_of(node).is_dull ? 0 : places_.frame_count(node);
        for (size_t i = frames; goes_on && i-- > 0;) {
            const Place place{node, static_cast<uint32_t>(i)};
            const FrameInfo known = places_.info(place);
            if (known.source == nullptr) continue;
            const Spot spot = places_.spot_of(place, known.block);
            goes_on = hide_at({spot, spot, place, {}});
        }
        if (goes_on && nodes.parent(node) != no_stack) pending_[nodes.parent(node)] = 1;
    }
}

// True if a statement may have begun again unseen: it went on from one place to another and came
// back, or it took memory at one place again and again, and not as often in each round.
bool HiddenRounds::may_begin_again(const Level& level, Spot spot,
                                   const std::vector<UnsureTurn>& turns) const {
    if (!level.may_hide_at(spot)) return false;
    const PathMoves& moves = places_.look().moves;
    uint64_t back = 0, again = 0, inside = 0;
    bool goes_on = false, is_regular = true;
    for (const auto& [turn, place, is_leaf] : turns) {
        // What turns in functions that it calls is their question, or nobody knows it.
        if (!is_leaf || turn.from == no_stack || turn.to == no_stack) continue;
        if (turn.to == turn.from) {
            again += turn.count;
            inside = std::max(inside, moves.count_inside(place.node));
            is_regular &= moves.is_regular(place.node);
        } else if (turn.to == place.node) {
            const bool is_on =
                places_.location_of(turn.to).address > places_.location_of(turn.from).address;
            if (is_on) goes_on = true;
            else back += turn.count;
        }
    }
    if (goes_on && !level.are_few(back)) return true;
    // Stays are as long as all that is taken inside, so they tell only of what is most of it.
    if (level.are_few(again)) return false;
    if (2 * again >= inside) return !is_regular;
    return !level.has_middle_beside(spot.block) && !level.may_share_evenly(again);
}

// What stays inside a level may hide that the level went round, if its rounds begin and end at such
// places. And then all levels outside of it may have gone round, too.
void HiddenRounds::hide(const Within& turn) {
    Place place = turn.place;
    bool goes_on = hide_at(turn);
    while (goes_on && place.index > 0) {
        place.index -= 1;
        const FrameInfo known = places_.info(place);
        if (known.source == nullptr) continue;
        const Spot spot = places_.spot_of(place, known.block);
        goes_on = hide_at({spot, spot, place, {}});
    }
    const uint32_t outside = places_.nodes().parent(place.node);
    if (goes_on && outside != no_stack) pending_[outside] = 1;
}

// Returns true if the turn may hide that the function was called again.
bool HiddenRounds::hide_at(const Within& turn) {
    const FrameInfo known = places_.info(turn.place);
    const SourceTree& tree = known.source->tree;
    const bool is_same = turn.from == turn.to;
    bool may_hide = true;
    bool is_counted = turn.round_of.has_value();
    tree.for_each_level(turn.to.block, [&](BlockId block) {
        // The levels inside of the counted one were entered by the turn.
        if (std::exchange(is_counted, is_counted && block != *turn.round_of)) return true;
        Level& level = places_.level_at(known, block, turn.place);
        may_hide = level.may_turn(turn.from, turn.to) ||
                   level.may_be_called_again(turn.from, turn.to) ||
                   (is_same && level.loose.contains(turn.from));
        if (!may_hide && is_same && block == tree.level_of(turn.to.block)) {
            const Stays stays = places_.stays_at(level, turn.to.block, turn.place);
            may_hide = level.is_edge(turn.from) ? !level.stays_inside(turn.from, stays)
                                                : stays == Stays::outlast;
            if (may_hide && level.is_loop()) level.irregular = turn.from.block;
        }
        if (may_hide) level.others.insert({turn.from, turn.to});
        return may_hide;
    });
    return may_hide;
}

}  // namespace memtrace::analyzer
