// SPDX-License-Identifier: Apache-2.0
//
// The levels of a program, by their keys and, more quickly, by the frames that lie in them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/model/symbols.h"
#include "analyzer/steps/loop_levels.h"

namespace memtrace::analyzer {

class LevelMap {
public:
    // Returns the level of a block around a frame, which tells the source and the function. A level
    // that is new is empty.
    Level& make(FrameId frame, const ParsedSource* source, const std::string& function,
                BlockId block) {
        Level*& level = by_frame_.try_emplace(place_of(frame, block), nullptr).first.value();
        if (level == nullptr) level = &levels_[{source, function, block}];
        return *level;
    }
    // Returns nullptr if there is no such level.
    Level* find(FrameId frame, const ParsedSource* source, const std::string& function,
                BlockId block) {
        Level*& level = by_frame_.try_emplace(place_of(frame, block), nullptr).first.value();
        if (level != nullptr) return level;
        const auto known = levels_.find({source, function, block});
        return known == levels_.end() ? nullptr : level = &known->second;
    }

    std::map<LevelKey, Level>& all() { return levels_; }

private:
    static uint64_t place_of(FrameId frame, BlockId block) { return uint64_t{frame} << 32 | block; }

    std::map<LevelKey, Level> levels_;
    tsl::robin_map<uint64_t, Level*, NumberHash> by_frame_;  // nullptr: not known yet
};

}  // namespace memtrace::analyzer
