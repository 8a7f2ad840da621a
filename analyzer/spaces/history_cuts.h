// SPDX-License-Identifier: Apache-2.0
//
// The moments at which the run may be cut into slices, as numbers in the order of time.
//
// Many more cuts are made than slices remain. When there are too many, most of them are given up,
// and what was kept for a cut belongs to the next cut that remains:
//
//   cuts made      0   1   2   3   4   5   6   7
//   cuts kept      0       2           5           then 8, 9, …
//   resolve()      0   2   2   5   5   5   8   8
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace memtrace::analyzer {

class HistoryCuts {
public:
    uint32_t make() { return made_++; }
    uint32_t made() const { return made_; }

    // Gives up all cuts made so far except these, which must be in order.
    void keep(std::vector<uint32_t> kept) {
        kept_ = std::move(kept);
        young_ = made_;
    }

    // Returns the first kept cut that is not before `cut`. If there is none yet, it is the next
    // that will be made.
    uint32_t resolve(uint32_t cut) const {
        if (cut >= young_) return cut;
        const auto found = std::lower_bound(kept_.begin(), kept_.end(), cut);
        return found == kept_.end() ? young_ : *found;
    }

    // archive.h
    static void state(auto& self, auto& each) { each(self.kept_, self.young_, self.made_); }

private:
    std::vector<uint32_t> kept_;
    uint32_t young_ = 0;  // All cuts from this one on are kept.
    uint32_t made_ = 0;
};

}  // namespace memtrace::analyzer
