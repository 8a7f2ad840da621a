// SPDX-License-Identifier: Apache-2.0
//
// Finds the levels whose rounds may be more than those that were seen: a number that may be too
// small must not be given (find_loops.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/base/long_list.h"
#include "analyzer/steps/level_places.h"

namespace memtrace::analyzer {

// A turn that is no new call of its function.
struct Within {
    Spot from, to;
    Place place;
    std::optional<BlockId> round_of;  // the level that the turn is a round of
};

class HiddenRounds {
public:
    explicit HiddenRounds(LevelPlaces& places) : places_(places), pending_(places.nodes().size()) {}

    // Call once, when all turns are explained as far as they can be.
    void find(const std::vector<Within>& within);

private:
    bool may_begin_again(const Level& level, Spot spot, const std::vector<UnsureTurn>& turns) const;
    void hide(const Within& turn);
    bool hide_at(const Within& turn);

    LevelPlaces& places_;
    LongList<uint8_t> pending_;  // by node
};

}  // namespace memtrace::analyzer
