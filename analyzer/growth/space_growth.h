// SPDX-License-Identifier: Apache-2.0
//
// How fast a finding or a space grows, and what a space as a whole does.
#pragma once

#include <cstdint>
#include <string>

#include "analyzer/growth/growth_judge.h"
#include "analyzer/model/estimate.h"

namespace memtrace::analyzer {

struct GrowthRate {
    double bytes_per_step = 0;  // 0 if the run is not cut by steps
    double blocks_per_step = 0;
    double bytes_per_hour = 0;
    double blocks_per_hour = 0;
    double low = 0;   // bounds of the rate with 95 % confidence, in bytes
    double high = 0;  // per step if the run is cut by steps, else per hour

    GrowthRate& operator+=(const GrowthRate& other) {
        bytes_per_step += other.bytes_per_step;
        blocks_per_step += other.blocks_per_step;
        bytes_per_hour += other.bytes_per_hour;
        blocks_per_hour += other.blocks_per_hour;
        low += other.low;
        high += other.high;
        return *this;
    }
};

// Widens the bounds to those of a curve that rose by `grown` bytes and is itself an estimate.
inline void widen(GrowthRate& rate, uint64_t grown, uint64_t interval) {
    if (grown == 0) return;
    const EstimateRange range = estimate_range(grown, interval);
    rate.low *= static_cast<double>(range.low) / static_cast<double>(grown);
    rate.high *= static_cast<double>(range.high) / static_cast<double>(grown);
}

// A space as a whole. It leaks only if one of its findings is a leak.
struct SpaceGrowth {
    std::string space;
    Verdict verdict = Verdict::steady;
    GrowthRate rate;  // of all leaks in the space
    uint64_t held_bytes = 0;
    std::string why;
};

}  // namespace memtrace::analyzer
