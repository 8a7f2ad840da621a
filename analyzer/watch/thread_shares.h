// SPDX-License-Identifier: Apache-2.0
//
// The memory of a space by the thread that acquired it and by site. Each pair of the two is a site
// of a space of its own, so that figures at the peak are found as for sites (peak_tracker.h,
// phase_sites.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/base/pair_map.h"
#include "analyzer/model/run_watch.h"
#include "analyzer/phases/phase_sites.h"
#include "analyzer/spaces/peak_tracker.h"

namespace memtrace::analyzer {

class ThreadShares {
public:
    // `is_range`: only what happens between open() and close() counts.
    explicit ThreadShares(bool is_range);

    void open(uint64_t time);
    void close();
    // The program's work ends here, and what counts lasts until the recording ends.
    void end_work();

    // The number of an acquisition before all that count.
    static constexpr uint64_t oldest = 1;

    // Returns the pair of a thread and a site, which acquire() and release() are given.
    uint32_t pair(uint32_t thread, uint32_t site);
    // Returns the number of the acquisition.
    uint64_t acquire(uint32_t pair, uint64_t bytes, uint64_t blocks, uint64_t time);
    // The same for a group's block (`change.blocks`) and for its parts. `number`: that of the part
    // if it is known, else 0.
    uint64_t grow_group(uint32_t pair, const ObservedChange& change, uint64_t number,
                        uint64_t allocated, uint64_t time);
    void shrink_group(uint32_t pair, const ObservedChange& change, uint64_t number);
    // `freed` has no blocks if the block lives on.
    void release(uint32_t pair, const BlockSum& freed, uint64_t number, bool is_temporary,
                 uint32_t by_thread);

    ShareList finish();

private:
    SpaceCounter counter_{"threads"};
    std::unique_ptr<PhaseSites> range_;  // nullptr: all counts
    bool is_open_ = false;
    uint32_t label_ = 0;  // Shrinking and growing blocks need one.
    std::vector<ShareList::Pair> pairs_;
    PairMap<uint32_t> numbers_;  // by site and thread
};

}  // namespace memtrace::analyzer
