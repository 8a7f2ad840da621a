// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/level_places.h"

#include <algorithm>

namespace memtrace::analyzer {

Level& LevelPlaces::level_at(const FrameInfo& known, BlockId block, Place place) {
    Level& level = levels_.make(frame_id(place), known.source, frame(place).function, block);
    uint64_t& longest = level.longest[spot_of(place, known.block)];
    longest = std::max(longest, look_.moves.longest_stay(place.node));
    level.is_plain[known.block] |= !look_.moves.only_grows(place.node);
    uint64_t& last = level.last_at[known.block];
    last = std::max(last, look_.moves.last_inside(place.node));
    if (level.source != nullptr) return level;
    level.source = known.source;
    level.block = block;
    level.place = place;
    return level;
}

Stays LevelPlaces::stays_at(const Level& level, BlockId statement, Place place) const {
    if (look_.moves.outlasts(place.node) && level.is_last(statement)) return Stays::outlast;
    return look_.moves.is_regular(place.node) ? Stays::steady : Stays::varying;
}

}  // namespace memtrace::analyzer
