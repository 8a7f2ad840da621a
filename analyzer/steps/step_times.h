// SPDX-License-Identifier: Apache-2.0
//
// When the steps of one loop began, in a pass of its own over the dump.
#pragma once

#include <string>

#include "analyzer/replay/loop_steps.h"

namespace memtrace::analyzer {

// Damage is ignored here, because other passes report it. Throws Error if nothing can be read.
StepTimes load_step_times(const std::string& path, const LoopTurns& loop);

}  // namespace memtrace::analyzer
