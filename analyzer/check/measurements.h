// SPDX-License-Identifier: Apache-2.0
//
// A recording as limits and baselines see it: the figures of its spaces and of their call sites,
// named so that another recording's can be compared (site_key.h). What is suppressed is neither
// leaked nor held at the end of the work here, but everything else that it is: what grows, grows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/check/metric.h"
#include "analyzer/check/suppressor.h"
#include "analyzer/growth/growth.h"
#include "analyzer/sites/recording.h"
#include "analyzer/sites/source_location.h"

namespace memtrace::analyzer {

struct MeasuredSite {
    std::string key;
    Figures figures{};
    SourceLocation place;  // in the heaviest of the stacks with this key
};

struct MeasuredSpace {
    std::string name;
    Figures figures{};
    std::vector<MeasuredSite> sites;  // by key
    uint64_t suppressed_blocks = 0;
    uint64_t suppressed_bytes = 0;
    bool is_estimate = false;
};

struct Measurements {
    std::string program;                // "python train.py": see program_name()
    std::string python;                 // "on", "off", "none"
    std::string gpu;                    // "driver", "cupti", "none", …
    std::vector<MeasuredSpace> spaces;  // as in the model
};

const MeasuredSpace* find_space(const Measurements& measured, const std::string& name);
const MeasuredSite* find_site(const MeasuredSpace& space, const std::string& key);

// What was run, without folders, versions and arguments that are no program: "train",
// "python train.py", "python -m pytest".
std::string program_name(const ProcessInfo& process);

// `root` is the folder of the project, to which files are relative. Without `growth` nothing is
// known to grow.
Measurements measure(const Recording& recording, Suppressor& suppressor, const std::string& root,
                     const Growth* growth = nullptr);

}  // namespace memtrace::analyzer
