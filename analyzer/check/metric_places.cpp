// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/metric_places.h"

#include <algorithm>

namespace memtrace::analyzer {

void MetricPlaces::set(Metric metric, const SourceLocation& place) {
    const auto known = std::find_if(places_.begin(), places_.end(), [&](const auto& other) {
        return other.function == place.function && other.file == place.file &&
               other.line == place.line;
    });
    index_[of_metric(metric)] = static_cast<uint8_t>(known - places_.begin());
    if (known == places_.end()) places_.push_back(place);
}

}  // namespace memtrace::analyzer
