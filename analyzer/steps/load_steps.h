// SPDX-License-Identifier: Apache-2.0
//
// Finds the loops of a dump in a pass of its own, before the pass that makes the Model.
#pragma once

#include <string>

#include "analyzer/base/progress.h"
#include "analyzer/frames/user_code.h"
#include "analyzer/steps/loop_list.h"
#include "analyzer/symbolise/symbol_options.h"

namespace memtrace::analyzer {

struct StepsOfDump {
    FoundLoops loops;
    // The program marks its steps (as SliceOptions::step has it); they count, and not a loop.
    bool has_marks = false;
};

// Throws Error if the dump cannot be read.
StepsOfDump load_steps(const std::string& path, const std::string& step, const CodePatterns& code,
                       SymbolOptions symbols, const Progress& progress = {});

}  // namespace memtrace::analyzer
