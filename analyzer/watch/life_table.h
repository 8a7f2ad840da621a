// SPDX-License-Identifier: Apache-2.0
//
// Sums of the blocks that have lived, by site: for the table of brief lives, and for histograms.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/base/pair_map.h"
#include "analyzer/model/run_watch.h"
#include "analyzer/watch/watch_request.h"

namespace memtrace::analyzer {

// How long a block lived.
struct LifeLength {
    uint64_t events = 0;
    uint64_t time_ns = 0;  // only if WatchRequest::needs_clock()
};

class LifeTable {
public:
    explicit LifeTable(const WatchRequest& request) : request_(request) {}

    // The block has ended. `sum` is as it was acquired.
    void ended(uint32_t site, const BlockSum& sum, bool is_temporary, const LifeLength& length);
    // The block is alive at the end.
    void alive(uint32_t site, const BlockSum& sum);

    void finish(SpaceWatch& watch);

private:
    LifeBar& bar(LifeScale scale, uint64_t value, uint32_t site);
    void add_size(uint32_t site, const BlockSum& sum, BlockSum LifeBar::*part);
    bool is_brief(const LifeLength& length) const;

    const WatchRequest& request_;
    PairMap<uint32_t> places_;  // in bars_, by site, and scale and bin
    std::vector<LifeBar> bars_;
    std::vector<SiteLives> lives_;  // by site
};

}  // namespace memtrace::analyzer
