// SPDX-License-Identifier: Apache-2.0
//
// The figures of a program when all was well: those of its spaces and of the call sites that
// matter. Each figure is a noise band, the least and the most of several runs. limit_check.h
// compares a later recording with the baseline.
//
// Only sites above a floor are listed, so that the file is small enough to be read in a review. A
// site that is not listed had less. A stricter limit for single sites lowers the floor
// (limit_check.h).
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
    std::string place;  // file and line when the baseline was written; for readers, never compared
    Bands bands{};
};

struct BaselineSpace {
    std::string name;
    Bands bands{};
    std::array<bool, metrics.size()> has{};  // by Metric: has_metric()
    Figures floors{};                        // least listed values, for metrics that add up
    std::vector<BaselineSite> sites;         // sorted by key
    uint64_t other_sites = 0;                // number of sites that are below all floors
    Bands others{};                          // sums of those sites
};

// False if the baseline was written by a memtrace that did not have the metric yet.
inline bool has_metric(const BaselineSpace& space, Metric metric) {
    return space.has[static_cast<size_t>(metric)];
}

struct Baseline {
    std::string path;  // of the file that it was read from
    std::string tool;
    std::string program;
    std::string python;
    std::string gpu;
    uint64_t runs = 0;                  // number of runs in the bands
    std::vector<BaselineSpace> spaces;  // sorted by name
    std::string selection = {};         // as in Measurements
};

// Makes a baseline of several runs. `floors` may be lower than those of metrics.def, never higher.
// Throws Error if the runs are not of one program.
Baseline make_baseline(const std::vector<Measurements>& runs, const Figures& floors);

Figures default_floors();

// Returns an older baseline updated with one new run.
//
//   * A figure inside its band leaves the band unchanged. A figure outside becomes the middle of a
//     new band, as wide in proportion as the old one. The noise of a program is known only from
//     several runs, and it outlives a change of the program's size.
//   * New sites and spaces are added. Sites and spaces that are gone are removed, except sites
//     that some of the older runs did not have either.
Baseline update_baseline(const Baseline& old, const Measurements& run, const Figures& floors);

const BaselineSpace* find_space(const Baseline& baseline, const std::string& name);
const BaselineSite* find_site(const BaselineSpace& space, const std::string& key);

}  // namespace memtrace::analyzer
