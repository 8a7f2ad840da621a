// SPDX-License-Identifier: Apache-2.0
//
// What a program took when all was well: the figures of its spaces and of the call sites that
// matter, with the least and the most that several runs had (the noise band). A later recording is
// compared with it (limit_check.h).
//
// Sites are kept above a floor only, so that the file is small enough to be read in a review: what
// is not listed had less. A stricter limit for single sites lowers the floor (limit_check.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/check/measurements.h"

namespace memtrace::analyzer {

struct Band {
    uint64_t min = 0;
    uint64_t max = 0;

    bool has(uint64_t value) const { return min <= value && value <= max; }
    bool operator==(const Band&) const = default;
};

using Bands = std::array<Band, metrics.size()>;  // by Metric

inline const Band& band(const Bands& bands, Metric metric) {
    return bands[static_cast<size_t>(metric)];
}
inline Band& band(Bands& bands, Metric metric) { return bands[static_cast<size_t>(metric)]; }

struct BaselineSite {
    std::string key;
    std::string place;  // where it was when this was written: for readers, never compared
    Bands bands{};
};

struct BaselineSpace {
    std::string name;
    Bands bands{};
    std::array<bool, metrics.size()> has{};  // by Metric: has_metric()
    Figures floors{};                        // of metrics that add up
    std::vector<BaselineSite> sites;         // by key
    uint64_t other_sites = 0;                // that are below all floors, and
    Bands others{};                          // what they have together
};

// Not if it was made by a memtrace that did not know the metric yet.
inline bool has_metric(const BaselineSpace& space, Metric metric) {
    return space.has[static_cast<size_t>(metric)];
}

struct Baseline {
    std::string path;  // that it was read from
    std::string tool;
    std::string program;
    std::string python;
    std::string gpu;
    uint64_t runs = 0;                  // that the bands come from
    std::vector<BaselineSpace> spaces;  // by name
};

// `floors` may be lower than those of metrics.def, never higher. Throws Error if the runs are not
// of one program.
Baseline make_baseline(const std::vector<Measurements>& runs, const Figures& floors);

Figures default_floors();

// What one new run makes of an older baseline. A figure within its band leaves the band alone; one
// outside of it becomes the middle of a band as wide, in proportion, as the old one was: the noise
// of a program is known from several runs only, and outlives a change of its size. Sites and spaces
// that are gone go, unless they were missing in some of the older runs too; new ones come.
Baseline update_baseline(const Baseline& old, const Measurements& run, const Figures& floors);

const BaselineSpace* find_space(const Baseline& baseline, const std::string& name);
const BaselineSite* find_site(const BaselineSpace& space, const std::string& key);

}  // namespace memtrace::analyzer
