// SPDX-License-Identifier: Apache-2.0
//
// The intervals of a sample, by lane. A sample from the start has one interval for all lanes. A
// recording that turned to a sample, because its dump had become large, did so lane by lane, and
// then again with longer intervals.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace memtrace::analyzer {

class SampleIntervals {
public:
    // All lanes have this interval from the first block on; 0: every block is recorded.
    void begin(uint64_t interval) {
        first_ = std::min(interval, interval_max);
        longest_ = first_;
    }

    // The lane has this interval from now on.
    void change(uint32_t lane, uint64_t interval, uint64_t time) {
        if (interval == 0) return;  // a damaged record
        if (lane >= by_lane_.size()) by_lane_.resize(size_t{lane} + 1);
        by_lane_[lane] = std::min(interval, interval_max);
        longest_ = std::max(longest_, by_lane_[lane]);
        if (first_ == 0 && !turned_) turned_ = time;
    }

    // Returns the interval of the lane's acquisitions; 0: all of them are recorded.
    uint64_t of(uint32_t lane) const {
        return lane < by_lane_.size() && by_lane_[lane] != 0 ? by_lane_[lane] : first_;
    }
    // Returns the longest interval of any lane; 0: every block is recorded.
    uint64_t longest() const { return longest_; }
    // When the first lane turned to a sample, in ticks. Nothing: none did, or it always was one.
    const std::optional<uint64_t>& turned() const { return turned_; }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.first_, self.longest_, self.turned_, self.by_lane_);
    }

private:
    // Bounds the number of blocks that a sampled one stands for. A longer one is a damaged one.
    static constexpr uint64_t interval_max = uint64_t{1} << 32;

    uint64_t first_ = 0;
    uint64_t longest_ = 0;
    std::optional<uint64_t> turned_;
    std::vector<uint64_t> by_lane_;  // 0: as first_
};

}  // namespace memtrace::analyzer
