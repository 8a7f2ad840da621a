// SPDX-License-Identifier: Apache-2.0
//
// From the histories of a model to curves that can be judged: one value for each slice in which the
// program worked. Slices in which next to nothing happened become part of the one behind them, so
// that a night without requests is no plateau.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/growth/growth_judge.h"
#include "analyzer/model/model.h"

namespace memtrace::analyzer {

class GrowthCurves {
public:
    explicit GrowthCurves(const Model& model);

    size_t size() const { return ends_.size(); }
    bool by_steps() const { return by_steps_; }
    // For each slice where it ends, in seconds since the start of the recording; in steps.
    const std::vector<double>& seconds() const { return seconds_; }
    const std::vector<double>& steps() const { return steps_; }
    uint64_t begin_ns(size_t slice) const { return slice == 0 ? 0 : end_ns(slice - 1); }
    uint64_t end_ns(size_t slice) const;

    Curve of(const SiteHistory& history) const;
    // What survives of each slice, of blocks: enough to compare two call sites.
    std::vector<double> born_blocks(const SiteHistory& history) const;

    // Whether the same call sites were as busy before the end of this slice as after it: at least
    // half of all allocations are alike.
    bool is_same_work(size_t since, size_t slice) const;

private:
    const Model& model_;
    bool by_steps_;
    std::vector<size_t> ends_;      // the last of the model's slices that belong to each
    std::vector<size_t> of_model_;  // for each of the model's slices its place here
    std::vector<double> seconds_;
    std::vector<double> steps_;
    mutable std::map<std::pair<size_t, size_t>, bool> same_work_;  // what was asked before
};

}  // namespace memtrace::analyzer
