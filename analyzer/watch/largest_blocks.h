// SPDX-License-Identifier: Apache-2.0
//
// The largest blocks of a space over time, for a drawing of single blocks. The run is cut into
// slices of equal width, and a block is kept if it is one of the largest that were alive in any of
// them:
//
//   slice       1     2     3     4          two of each slice
//   400 MB    ├──────────────────────        kept: in all of them
//   300 MB          ├──┤                     kept: in slice 2
//   200 MB      ├───────────┤                kept: in slices 1 and 3
//   100 MB          ├──┤                     left out
//
// Slices double in width when there are too many, so the length of the run need not be known. What
// is kept of a run depends on its blocks alone: who is among the largest of a wider slice is among
// the largest of the part that it was alive in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/run_watch.h"

namespace memtrace::analyzer {

class LargestBlocks {
public:
    static constexpr size_t slices_max = 256;
    static constexpr size_t of_slice = 40;  // blocks of each that are kept

    // The first slice begins at this tick.
    void begin(uint64_t time) { begin_ = time; }

    // A block, or a part of one that was released by itself, has ended. Times are ticks.
    void ended(const BlockLife& life);
    // A block is alive at the end. Nothing ends after this.
    void alive(BlockLife life);

    // Returns the lives in nanoseconds, by their begin.
    std::vector<BlockLife> finish(const TickClock& clock);

private:
    struct Slices {
        size_t first, last;  // both with the block
    };
    static constexpr size_t waiting_max = 4 * slices_max * of_slice;

    Slices slices_of(const BlockLife& life) const;
    bool is_small(const BlockLife& life) const;
    void add(const BlockLife& life);
    void put_into_slices(const BlockLife& life);
    void prune();

    uint64_t begin_ = 0;
    unsigned width_bits_ = 0;
    std::vector<BlockLife> lives_;  // those that were kept, and those since then
    // By slice: the largest of lives_, as a heap with the smallest of them in front.
    std::array<std::vector<BlockLife>, slices_max> largest_;
};

}  // namespace memtrace::analyzer
