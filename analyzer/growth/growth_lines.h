// SPDX-License-Identifier: Apache-2.0
//
// What growth needs to know of the lines in stacks.
#pragma once

#include <vector>

#include "analyzer/model/symbols.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Facts about each frame.
struct GrowthLines {
    std::vector<bool> interesting;  // interesting by frame_filter.h, and not the shim's own
    std::vector<bool> own;          // a line of the user's own code
    bool does_known_steps = false;  // RunFacts
};

GrowthLines growth_lines_of(const Recording& recording);

// Tells by the libraries in its stacks that a program does steps that go on for as long as it is
// allowed to: it trains a model, or answers requests. Memory that each of them keeps is a leak.
bool is_step_code(const Frame& frame);

}  // namespace memtrace::analyzer
