// SPDX-License-Identifier: Apache-2.0
//
// The processes of a merged profile (analyzer/profile/profile_merge.h). The Model beside them holds
// their sums.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

struct PartSpace {
    std::string name;
    bool is_estimate = false;
    uint64_t peak_bytes = 0;
    uint64_t peak_time_ns = 0;  // from the start of the process's recording
    uint64_t allocations = 0;
    uint64_t allocated_bytes = 0;
    uint64_t live_blocks = 0;  // at the end
    uint64_t live_bytes = 0;
    // End of a slice, in nanoseconds from the start of the process's recording, and the bytes held
    // then, for each slice in which they changed.
    std::vector<std::pair<uint64_t, uint64_t>> timeline;
};

struct ProcessPart {
    std::string path;  // of its dump
    ProcessInfo process;
    uint64_t events = 0;
    uint64_t lost_events = 0;
    bool damaged = false;
    uint64_t peak_rss = 0;  // bytes; the most of its samples
    std::vector<PartSpace> spaces;
};

// Numbers of what the processes had and a merged profile does not hold.
struct LeftOut {
    uint64_t samples = 0;
    uint64_t marks = 0;
    uint64_t usages = 0;  // of GPUs
    uint64_t anomalies = 0;
    uint64_t refusals = 0;       // refusals of processes other than the last that was refused
    uint64_t refused_at_ns = 0;  // CLOCK_REALTIME of the last refusal; 0: there is none
    bool histories = false;      // The processes were cut into different slices.
};

struct MergedParts {
    std::vector<ProcessPart> processes;  // by rank, start and pid; empty: a profile of one process
    LeftOut left_out;
};

}  // namespace memtrace::analyzer
