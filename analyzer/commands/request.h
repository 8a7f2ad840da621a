// SPDX-License-Identifier: Apache-2.0
//
// The request of a command line, as data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/charts/report_temporary.h"
#include "analyzer/commands/all_commands.h"
#include "analyzer/commands/check_options.h"
#include "analyzer/export/export_format.h"
#include "analyzer/growth/growth.h"
#include "analyzer/page/page_options.h"
#include "analyzer/reader/known_nodes.h"
#include "analyzer/replay/slice_plan.h"
#include "analyzer/report/report_summary.h"
#include "analyzer/sites/site_list.h"
#include "analyzer/symbolise/symbolise.h"

namespace memtrace::analyzer {

// Options as they were typed. Command::finish turns them into the members of Request after the
// whole command line has been read.
struct TypedOptions {
    std::string sort = "at-peak";
    std::string min;
    std::string memory;
    std::string format;  // `export`, also the next one
    std::string measure = "peak";
    size_t top = 0;  // 0: the command's default
    size_t depth = 0;
    uint64_t events = 0;  // `temporary`, as the next one
    std::string within;
};

struct StepsOfDump;  // steps/load_steps.h

struct Request {
    const Command* command = all_commands.front();
    std::vector<std::string> dumps;  // empty: the newest dump of this folder
    // What reports and sentences call the dump, if that is not where it was opened: a running
    // program has it open (find_program.h). Empty: its path.
    std::string shown_as;
    TypedOptions typed;
    SymbolOptions symbols;
    TextOptions text;
    Measure sort = Measure::at_peak;
    CheckOptions check;
    std::string source;                  // `lines`: path of the source file, or the end of the path
    std::vector<std::string> blocks_at;  // `training`: marks
    bool each_phase = false;  // `phases`: names that differ only in their numbers stay apart
    std::string phase;        // the only phase that counts; empty: the whole recording
    std::string from;         // the part of the recording that counts, as typed (range_text.h)
    std::string to;
    std::string until;  // `compact`: a time, as typed; empty: the end
    SiteFilters filters;
    SliceOptions slices;  // `growth`: where the run is cut; `slices.step` also for "step N"
    GrowthOptions growth;
    PageOptions page;                      // `html`
    const ExportFormat* format = nullptr;  // `export`
    ExportMeasure measure = ExportMeasure::peak;
    BriefLife brief;            // `temporary`
    std::string json;           // file of the JSON, "-" for standard output; empty: no JSON
    bool all_refusals = false;  // `oom`: the list of earlier refusals, too
    bool whole_stacks = false;  // JSON: stacks are never cut
    bool verbose = false;
    // The loops of the dump that is being read, for commands that need them again
    // (Command::keeps_loops): finding them takes a pass over the dump.
    std::shared_ptr<std::shared_ptr<const StepsOfDump>> loops =
        std::make_shared<std::shared_ptr<const StepsOfDump>>();
    // The stack nodes of that dump, for all passes over it.
    std::shared_ptr<NodeMemo> nodes = std::make_shared<NodeMemo>();

    // The options that name standard output for a document ("--json", "--sarif"). If there is one,
    // the document has it alone, and there is no text.
    std::vector<std::string> documents_on_stdout() const;

    // Limit on the frames of a JSON document's lists, for each space.
    uint64_t frames_max() const { return whole_stacks ? UINT64_MAX : listed_frames_max; }
};

}  // namespace memtrace::analyzer
