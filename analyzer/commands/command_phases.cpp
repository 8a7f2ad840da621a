// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/charts/report_phases.h"
#include "analyzer/commands/command.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_top_option(options, request, "Phases of each table (100)");
    options.add_flag("--each", request.each_phase,
                     "Names that differ only in their numbers are phases of their own");
    add_space_option(options, request);
    add_min_option(options, request, "Leave out phases with a peak below this");
    add_range_options(options, request);
    add_filter_options(options, request);
}

void finish(Request& request) {
    read_text_options(request, {.top = 100});
    if (request.phase.empty()) return;
    throw Error(
        fmt::format("--phase {}: phases lists all phases; --from and --to limit it to a "
                    "part of the recording",
                    printable(request.phase)));
}

LoadOptions load_options(const Request& request) {
    LoadOptions options = load_phase_or_all(request);
    options.phases.list = true;
    options.phases.each = request.each_phase;
    return options;
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text =
                whole_text([&](std::string& out) { write_phases(out, recording, request.text); }),
            .json = [&] { return phases_json(recording); }};
}

}  // namespace

const Command command_phases{
    .name = "phases",
    .help = "What each phase of the program took and left",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_options,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
