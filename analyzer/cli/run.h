// SPDX-License-Identifier: Apache-2.0
//
// What the command line asked for, as data, and the function that does it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/commands/command_check.h"
#include "analyzer/growth/growth.h"
#include "analyzer/replay/load.h"
#include "analyzer/report/report_parts.h"
#include "analyzer/symbolise/symbol_options.h"

namespace memtrace::analyzer {

enum class Command : uint8_t {
    summary,
    leaks,
    growth,
    peak,
    sites,
    lines,
    tree,
    phases,
    gpu,
    oom,
    text,
    info,
    check,
    baseline,
    suppressions
};

// In the order of their weight when several dumps are reported.
enum ExitCode : int { exit_fine = 0, exit_check_failed = 1, exit_cannot = 2, exit_incomplete = 3 };

struct Request {
    Command command = Command::summary;
    std::vector<std::string> dumps;  // empty: the newest here
    SymbolOptions symbols;
    TextOptions text;
    Measure sort = Measure::at_peak;
    CheckOptions check;
    std::string source;       // the file whose lines are shown: its path, or the end of it
    bool each_phase = false;  // no name of `phases` stands for several
    std::string phase;        // the figures of this one only; empty: of the recording
    SliceOptions slices;      // growth: where to cut the run
    GrowthOptions growth;
    std::string json;  // file, "-" for standard output, empty: no JSON
    bool all_refusals = false;
    bool whole_stacks = false;  // in JSON, however large it gets
    bool verbose = false;
};

// Does it for every dump and returns the highest exit code. Throws Error where nothing can be done.
int run(Request request);

// The same for a main(): what went wrong is said in a sentence on standard error, and the exit code
// is that of a wrong usage.
int run_and_say(Request request);

// The newest memtrace.*.bin of `folder`; nothing if there is none.
std::optional<std::string> newest_dump(const std::string& folder);

}  // namespace memtrace::analyzer
