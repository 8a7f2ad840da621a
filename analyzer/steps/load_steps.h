// SPDX-License-Identifier: Apache-2.0
//
// Finds the loops of a dump in a pass of its own, before the pass that makes the Model.
#pragma once

#include <memory>
#include <string>

#include "analyzer/base/progress.h"
#include "analyzer/frames/user_code.h"
#include "analyzer/replay/load.h"
#include "analyzer/steps/loop_list.h"
#include "analyzer/symbolise/symbol_options.h"

namespace memtrace::analyzer {

struct StepsOfDump {
    FoundLoops loops;
    // The program marks its steps (as SliceOptions::step has it); they count, and not a loop.
    bool has_marks = false;
    // Of the loop that counts, from the pass that replayed the dump; null: no pass has noted them.
    std::shared_ptr<StepTimes> step_times = nullptr;
};

// Throws Error if the dump cannot be read. `nodes`: as LoadOptions::nodes.
StepsOfDump load_steps(const std::string& path, const std::string& step, const CodePatterns& code,
                       SymbolOptions symbols, const Progress& progress = {},
                       NodeMemo* nodes = nullptr);

// Lets a pass count the steps of the loop that was found, if there is one. `is_kept`: the report
// needs the loops once more, and the times of these steps.
void use_loop(StepsOfDump& steps, LoadOptions& options, bool is_kept);

}  // namespace memtrace::analyzer
