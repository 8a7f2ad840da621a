// SPDX-License-Identifier: Apache-2.0
//
// The curves of a run as the timeline shows them: the resident set and what each space held, in
// slices of time, and what the program marked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct TimelineSlice {
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
    // Bytes; nothing: not known. A profile has only what was held at the end.
    std::optional<uint64_t> lowest, highest, last;
};

struct TimelineCurve {
    std::string name;  // a space, or "resident"
    bool is_estimate = false;
    uint64_t peak_bytes = 0;
    uint64_t peak_time_ns = 0;
    std::vector<TimelineSlice> slices;
};

// A range that the program marked. One that was not ended ends with the recording.
struct TimelinePhase {
    std::string name;
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
};

struct Timeline {
    static constexpr const char* resident = "resident";

    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
    std::vector<TimelineCurve> curves;   // the resident set, if it was measured, then the spaces
    std::vector<TimelinePhase> phases;   // in the order of their begins
    std::vector<MarkInfo> marks;         // those that are no ranges
    std::vector<uint64_t> step_ends_ns;  // at most one for each slice of the run
    uint64_t steps = 0;
    std::string step;        // what a step is; empty: none were found
    bool ends_only = false;  // There is nothing but the ends of slices.
};

Timeline make_timeline(const Recording& recording);

}  // namespace memtrace::analyzer
