// SPDX-License-Identifier: Apache-2.0
//
// How exact a figure is that was estimated from a sample, and which figures are known at all.
//
// Every byte was chosen with the same chance, 1 in `interval`. So an estimate of B bytes comes from
// about k = B / interval chosen bytes, and k has a Poisson distribution. Blocks that are larger
// than the interval are in nearly every sample, which only makes the estimate better than said
// here.
#pragma once

#include <cstdint>
#include <string>

namespace memtrace::analyzer {

struct Model;
struct Space;

// A sample has when each block that it chose came and went, and not what happened in between.
// True if it is known which blocks their thread freed before its next allocation.
bool knows_temporary(const Space& space);

// True if it is known how many events of any space there were in the life of a block.
bool knows_events(const Model& model, const Space& space);

struct EstimateRange {
    uint64_t low = 0;   // bytes
    uint64_t high = 0;  // bytes

    bool operator==(const EstimateRange&) const = default;
};

// Returns the range in which the truth lies in 95 of 100 cases, given an estimate (Garwood's
// interval, with the chi-square quantiles of Wilson and Hilferty). Below two chosen bytes `low` is
// 0: most sites that small are not in the sample at all, and one that is has more than its share.
EstimateRange estimate_range(uint64_t bytes, uint64_t interval);

// The same for a figure that was counted at first, and then estimated: at most `estimated` bytes of
// it come from the sample. With none, some may still have been missed.
EstimateRange estimate_range(uint64_t bytes, uint64_t estimated, uint64_t interval);

// The same for a peak (FairPeak, sampled_blocks.h). Its moment is an estimate, too, and where it is
// wrong, less was held: so there is more room above, and a little below. Found by simulation
// (scripts/measure/peaks-of-samples).
EstimateRange estimate_peak_range(uint64_t bytes, uint64_t estimated, uint64_t interval);

// Returns the standard deviation of an estimate, in bytes: its blocks are counts of independent
// events, each for `interval` bytes.
double estimate_deviation(double bytes, uint64_t interval);

// "34 %": half the width of that range, as a part of the estimate.
std::string estimate_error_text(uint64_t bytes, uint64_t interval);

}  // namespace memtrace::analyzer
