// SPDX-License-Identifier: Apache-2.0
//
// Of each metric, the line of a call site that has most of it.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/check/metric.h"
#include "analyzer/sites/source_location.h"

namespace memtrace::analyzer {

// The lines of a call site, which may allocate at several.
class MetricPlaces {
public:
    MetricPlaces() = default;
    explicit MetricPlaces(SourceLocation most_held) : places_{std::move(most_held)} {}

    const SourceLocation& of(Metric metric) const { return places_[index_[of_metric(metric)]]; }
    const SourceLocation& most_held() const { return places_[0]; }  // for no metric at all
    void set(Metric metric, const SourceLocation& place);

private:
    static size_t of_metric(Metric metric) { return static_cast<size_t>(metric); }

    std::vector<SourceLocation> places_ = std::vector<SourceLocation>(1);  // all different
    std::array<uint8_t, metrics.size()> index_{};                          // by Metric, of places_
};

}  // namespace memtrace::analyzer
