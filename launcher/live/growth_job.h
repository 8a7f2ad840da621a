// SPDX-License-Identifier: Apache-2.0
//
// Asks `memtrace-report growth` about a dump that grows, now and then, in a process of its own. The
// report reads the whole dump, so it is asked the more rarely the longer it takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/live/child_job.h"
#include "analyzer/live/live_verdicts.h"

namespace memtrace::launcher {

class GrowthJob {
public:
    // `time_ns`: how long the program has run.
    GrowthJob(std::string dump, uint64_t time_ns);

    // Starts the report if it is time to, and returns what it said if it has become ready.
    std::optional<analyzer::LiveVerdicts> poll();

    bool is_running() const { return job_.is_running(); }

private:
    std::string dump_;
    uint64_t next_ns_;  // on the monotonic clock
    analyzer::ChildJob job_;
};

}  // namespace memtrace::launcher
