// SPDX-License-Identifier: Apache-2.0
//
// The lines of call sites. A call site of a limit (site_key.h) has no lines in its key: it may
// allocate at several, and what is most of its peak need not be what it leaks. So each metric has a
// line of its own, the one that has most of it.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analyzer/check/metric_places.h"
#include "analyzer/model/measure.h"
#include "analyzer/sites/site_key.h"
#include "analyzer/sites/source_location.h"

namespace memtrace::analyzer {

class SitePlaces {
public:
    explicit SitePlaces(SourceLocations& places) : places_(places) {}

    void add(SiteKeys::Id site, uint32_t stack, const Totals& totals);
    void add_rate(SiteKeys::Id site, uint32_t stack, Metric metric, double bytes);

    // Calls each(id of the site, its places) for each site that was added, in the order of the ids.
    template <class Each>
    void each_site(Each&& each) const {
        const std::vector<Line> lines = sorted_lines();
        for (size_t begin = 0, end = 0; begin < lines.size(); begin = end) {
            while (end < lines.size() && lines[end].site == lines[begin].site) ++end;
            each(lines[begin].site, places_among(&lines[begin], &lines[begin] + (end - begin)));
        }
    }

private:
    // For each metric, and then what is held in any way: that orders lines for no metric at all.
    using Amounts = std::array<double, metrics.size() + 1>;
    struct Line {
        SiteKeys::Id site;
        SourceLocations::Id place;
        const Amounts* amounts;
    };

    Amounts& amounts_of(SiteKeys::Id site, uint32_t stack);
    std::vector<Line> sorted_lines() const;
    MetricPlaces places_among(const Line* begin, const Line* end) const;

    SourceLocations& places_;
    std::unordered_map<uint64_t, Amounts> amounts_;  // by site and place
};

}  // namespace memtrace::analyzer
