// SPDX-License-Identifier: Apache-2.0
//
// When the steps of one loop began, in a pass of its own over the dump.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/replay/loop_steps.h"

namespace memtrace::analyzer {

// Times in nanoseconds from the start of the recording.
struct StepTimes {
    std::vector<uint64_t> begins;
    uint64_t end = 0;  // when the last step ended, or the recording
};

// Damage is ignored here, because other passes report it. Throws Error if nothing can be read.
StepTimes load_step_times(const std::string& path, const LoopTurns& loop);

}  // namespace memtrace::analyzer
