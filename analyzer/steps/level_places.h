// SPDX-License-Identifier: Apache-2.0
//
// The levels of a program, and the frames of its stacks that lie in them.
#pragma once

#include <algorithm>
#include <cstdint>

#include <tsl/robin_set.h>

#include "analyzer/replay/path_look.h"
#include "analyzer/steps/frame_places.h"
#include "analyzer/steps/level_map.h"

namespace memtrace::analyzer {

class LevelPlaces : public FramePlaces {
public:
    // All must outlive the object.
    LevelPlaces(const PathLook& look, const Symbols& symbols, const CodePatterns& code,
                SourceFiles& files)
        : FramePlaces(symbols, code, files), look_(look), nodes_(symbols.nodes) {}

    // Returns the level of a block around a frame. `known`: as info() says.
    Level& level_at(const FrameInfo& known, BlockId block, Place place) {
        Level& level = levels_.make(frame_id(place), known.source, frame(place).function, block);
        uint64_t& stay = level.usual_stays[spot_of(place, known.block)];
        stay = std::max(stay, look_.moves.usual_stay(place.node));
        level.is_plain[known.block] |= !look_.moves.only_grows(place.node);
        uint64_t& last = level.last_at[known.block];
        last = std::max(last, look_.moves.last_inside(place.node));
        if (level.source != nullptr) return level;
        level.source = known.source;
        level.block = block;
        level.place = place;
        const SourceTree& tree = known.source->tree;
        level.waits = tree[block].kind == BlockKind::loop && tree.waits_within(block);
        return level;
    }
    // Returns nullptr if there is no such level.
    Level* find_level(const FrameInfo& known, BlockId block, Place place) {
        return levels_.find(frame_id(place), known.source, frame(place).function, block);
    }
    // Returns how often the statement of the level takes memory each time, as far as this place of
    // it tells.
    Stays stays_at(const Level& level, BlockId statement, Place place) const {
        if (look_.moves.outlasts(place.node) && level.is_last(statement)) return Stays::outlast;
        if (unplaced_.contains(place.node)) return Stays::unknown;
        return look_.moves.is_regular(place.node) ? Stays::steady : Stays::varying;
    }

    // A line without a statement took memory at the node, so how often all lines around it ran
    // is not told by what was taken there.
    void add_unplaced(uint32_t node) {
        for (; node != no_stack && unplaced_.insert(node).second;) node = nodes_.parent(node);
    }

    const PathLook& look() const { return look_; }
    const StackNodes& nodes() const { return nodes_; }
    LevelMap& levels() { return levels_; }

private:
    const PathLook& look_;
    const StackNodes& nodes_;
    LevelMap levels_;
    tsl::robin_set<uint32_t> unplaced_;  // nodes
};

}  // namespace memtrace::analyzer
