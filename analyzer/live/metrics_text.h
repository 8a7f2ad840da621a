// SPDX-License-Identifier: Apache-2.0
//
// The figures of a running program in the text format of OpenMetrics 1.0, which Prometheus scrapes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/live/live_verdicts.h"
#include "analyzer/model/sites.h"

namespace memtrace::analyzer {

struct SpaceMetrics {
    std::string space;
    Totals totals;
    uint64_t peak_bytes = 0;
    bool is_estimate = false;  // from a sample
};

struct Metrics {
    std::vector<SpaceMetrics> spaces;
    uint64_t resident_bytes = 0;      // 0: not known
    uint64_t own_resident_bytes = 0;  // part of it that is memtrace's; 0: not known
    uint64_t dump_bytes = 0;
    double seconds = 0;             // since the start of the recording
    bool is_on = true;              // False: the recording is switched off now.
    double unrecorded_seconds = 0;  // part of `seconds` in which it was off
    LiveVerdicts verdicts;
};

inline constexpr const char* metrics_type =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

std::string metrics_text(const Metrics& metrics);

}  // namespace memtrace::analyzer
