// SPDX-License-Identifier: Apache-2.0
//
// The threads whose acquisitions count, while the replay goes on. run_look.h chooses them, because
// a thread may get its name after it has allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/spaces/peak_tracker.h"

namespace memtrace::analyzer {

struct ThreadChoice {
    std::vector<bool> of_starts;  // by number of the ThreadStart record
    bool of_unknown = false;      // events before the first ThreadStart of their lane
};

class ChosenThreads {
public:
    explicit ChosenThreads(ThreadChoice choice)
        : choice_(std::move(choice)), unknown_(choice_.of_unknown ? 0 : left_out_bit) {}

    // Call for each ThreadStart record.
    void start(uint32_t lane) {
        const bool counts = starts_ < choice_.of_starts.size() && choice_.of_starts[starts_];
        if (lane >= by_lane_.size()) by_lane_.resize(size_t{lane} + 1, unknown_);
        by_lane_[lane] = counts ? 0 : left_out_bit;
        starts_ += 1;
    }

    // Returns left_out_bit if the thread of the lane does not count, else 0.
    uint32_t bit_of(uint32_t lane) const {
        return lane < by_lane_.size() ? by_lane_[lane] : unknown_;
    }

private:
    ThreadChoice choice_;
    uint32_t unknown_;  // bit of a lane without a ThreadStart
    size_t starts_ = 0;
    std::vector<uint32_t> by_lane_;
};

// Leaves out the sites of memory that the driver of a GPU keeps. It belongs to no thread. Call
// before such sites get stacks of their own.
inline void leave_out_pools(std::vector<Space>& spaces) {
    for (Space& space : spaces) {
        space.left_out.resize(space.sites.size());
        for (size_t i = 0; i < space.sites.size(); ++i) {
            const Group group = group_of(space.sites[i].stack);
            if (group == Group::pool_cache || group == Group::graph_memory) {
                space.left_out[i] = true;
            }
        }
    }
}

}  // namespace memtrace::analyzer
