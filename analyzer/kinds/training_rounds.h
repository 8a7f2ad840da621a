// SPDX-License-Identifier: Apache-2.0
//
// The rounds of a training's loop beside the runs of the backward pass.
//
//   round ├ … forward … run … [behind the run, and behind all passes] ┤ round ├ …
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/kinds/life_facts.h"

namespace memtrace::analyzer {

class TrainingRounds {
public:
    // `begins`: when each round begins, in ns. Empty: not known. Both must outlive the object.
    TrainingRounds(const LifeFacts& lives, const std::vector<uint64_t>& begins)
        : lives_(lives), begins_(begins) {}

    bool are_known() const { return !begins_.empty(); }
    std::ptrdiff_t at(uint64_t time) const {
        return std::upper_bound(begins_.begin(), begins_.end(), time) - begins_.begin();
    }
    // True if the run before the birth is of the same round.
    bool is_behind_run(const TensorLife& life) const {
        const std::ptrdiff_t run = lives_.run_at(life.born);
        return run >= 0 && are_known() &&
               at(life.born) == at(lives_.runs()[static_cast<size_t>(run)].end);
    }
    // True if the next run, too, is of a later round: nothing of this round needs it.
    bool is_behind_passes(const TensorLife& life) const {
        const auto next = static_cast<size_t>(lives_.run_at(life.born) + 1);
        return is_behind_run(life) &&
               (next >= lives_.runs().size() || at(lives_.runs()[next].begin) > at(life.born));
    }

private:
    const LifeFacts& lives_;
    const std::vector<uint64_t>& begins_;
};

}  // namespace memtrace::analyzer
