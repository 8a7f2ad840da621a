// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_steps.h"
#include "analyzer/commands/command.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_step_option(options, request);
    add_top_option(options, request, "Loops (20)");
    add_space_option(options, request);
    add_refused_range_options(options, request);
}

void finish(Request& request) {
    refuse_range(request, "steps are found in whole recordings; leave the range out");
    read_text_options(request, {.top = 20});
}

LoadOptions load_options(const Request& request) {
    LoadOptions options = load_phase_or_all(request);
    options.slices = request.slices;
    return options;
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text =
                whole_text([&](std::string& out) { write_steps(out, recording, request.text); }),
            .json = [&] { return steps_json(recording); }};
}

}  // namespace

const Command command_steps{
    .name = "steps",
    .help = "The loops of the program: how often they went round, and what a step takes",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_options,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
