// SPDX-License-Identifier: Apache-2.0
//
// The figures of a recording that limits and baselines use: those of its spaces and of their call
// sites. The keys of sites are comparable between recordings (site_key.h).
//
// A suppressed block counts neither as leaked nor as held at the end of the work. It counts in all
// other figures, including growth.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/check/metric.h"
#include "analyzer/check/metric_places.h"
#include "analyzer/check/suppressor.h"
#include "analyzer/growth/growth.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct MeasuredSite {
    std::string key;
    Figures figures{};
    MetricPlaces places;  // of each metric, the line that has most of it
};

struct MeasuredSpace {
    std::string name;
    Figures figures{};
    std::vector<MeasuredSite> sites;  // sorted by key
    uint64_t suppressed_blocks = 0;
    uint64_t suppressed_bytes = 0;
    uint64_t possibly_lost_blocks = 0;  // that are not suppressed
    uint64_t possibly_lost_bytes = 0;
    bool is_estimate = false;
    // May be gone, of what is alive at the end; and the most by which a peak may be too high.
    uint64_t unsure_blocks = 0;
    uint64_t unsure_bytes = 0;
    uint64_t unsure_at_peak_bytes = 0;
    uint64_t interval = 0;  // bytes for each block of the sample; 0: the figures are exact
    std::optional<uint64_t> exact_until_ns;  // of an estimate: when max_dump made it one
};

struct Measurements {
    std::string program;                // "python train.py": see program_name()
    std::string python;                 // "on", "off", "none"
    std::string gpu;                    // "driver", "cupti", "none", …
    std::vector<MeasuredSpace> spaces;  // in the order of the model
    std::string selection = {};         // range and filters (selection.h); empty: none
    bool was_searched = false;          // for lost blocks
};

const MeasuredSpace* find_space(const Measurements& measured, const std::string& name);
const MeasuredSite* find_site(const MeasuredSpace& space, const std::string& key);

// Returns the name of the program, without folders, versions and arguments that do not name it:
// "train", "python train.py", "python -m pytest".
std::string program_name(const ProcessInfo& process);

// True if limits count the finding: it leaks, or it has grown for so long that its rate is that of
// no start, whatever it is. Of other growth nobody knows if it goes on for an hour.
bool is_known_to_grow(const Growth& growth, const GrowthFinding& finding);

// Measures a recording. Paths of files are relative to `root`, the folder of the project. Without
// `growth` the rates are zero.
Measurements measure(const Recording& recording, Suppressor& suppressor, const std::string& root,
                     const Growth* growth = nullptr);

// Measures spaces only, without their sites. It needs the names of leaks alone.
Measurements measure_spaces(const Recording& recording, Suppressor& suppressor);

}  // namespace memtrace::analyzer
