// SPDX-License-Identifier: Apache-2.0
//
// Totals that keep their figures at the moments of their space (peak_tracker.h).
#pragma once

#include <cstdint>

#include "analyzer/model/sites.h"

namespace memtrace::analyzer {

// The numbers of the moments of a space for which the holdings of its sites must be kept.
struct Moments {
    uint64_t newest = 0;
    uint64_t peak = 0;
    uint64_t work_end = 0;   // 0: has not ended yet
    uint64_t half = 0;       // the middle of the recording; 0: not yet
    uint64_t slice_end = 0;  // 0: none yet
};

// Totals that keep their figures at the moments of their space.
struct Tally {
    Totals totals;
    uint64_t seen = 0;  // number of the newest moment at the last change

    // Must be called before a change.
    void look(const Moments& moments) {
        if (seen == moments.newest) [[likely]]
            return;
        if (seen < moments.peak) {
            totals.at_peak_blocks = totals.live_blocks;
            totals.at_peak_bytes = totals.live_bytes;
        }
        if (seen < moments.work_end) {
            totals.held_blocks = totals.live_blocks;
            totals.held_bytes = totals.live_bytes;
        }
        if (seen < moments.half) totals.half_bytes = totals.live_bytes;
        seen = moments.newest;
    }
    void acquire(uint64_t bytes, uint64_t blocks = 1) {
        totals.allocations += blocks;
        totals.allocated_bytes += bytes;
        totals.live_blocks += blocks;
        totals.live_bytes += bytes;
        if (totals.live_bytes > totals.own_peak_bytes) totals.own_peak_bytes = totals.live_bytes;
    }
    void grow(uint64_t bytes, uint64_t taken) {
        totals.allocated_bytes += taken;
        totals.live_bytes += bytes;
        if (totals.live_bytes > totals.own_peak_bytes) totals.own_peak_bytes = totals.live_bytes;
    }
    void release(uint64_t bytes, bool temporary, uint64_t blocks = 1) {
        totals.frees += blocks;
        totals.live_blocks -= blocks;
        totals.live_bytes -= bytes;
        totals.temporary += temporary;
    }
};

// True if the figures of the sites sum up to these, except for own_peak_bytes.
inline bool adds_up(const Sites& sites, const Totals& totals) {
    constexpr uint64_t Totals::*fields[] = {
        &Totals::allocations,   &Totals::frees,          &Totals::allocated_bytes,
        &Totals::live_blocks,   &Totals::live_bytes,     &Totals::temporary,
        &Totals::at_peak_bytes, &Totals::at_peak_blocks, &Totals::held_bytes,
        &Totals::held_blocks,   &Totals::half_bytes,     &Totals::lost_blocks,
        &Totals::lost_bytes};
    for (const auto field : fields) {
        uint64_t sum = 0;
        for (const Site site : sites) sum += site.totals.*field;
        if (sum != totals.*field) return false;
    }
    return true;
}

}  // namespace memtrace::analyzer
