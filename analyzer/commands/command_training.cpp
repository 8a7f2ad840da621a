// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "analyzer/commands/command.h"
#include "analyzer/commands/find_training.h"
#include "analyzer/training/report_training.h"
#include "analyzer/training/training_json.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_top_option(options, request, "Lines of each kind (3)");
    add_space_option(options, request);
    add_step_option(options, request);
    options.add_values("--blocks-at", request.blocks_at, "MARK",
                       "JSON: list all tensors that are alive at this mark (repeatable)");
    add_refused_range_options(options, request);
}

void finish(Request& request) {
    refuse_range(request, "kinds are told from whole lives; leave the range out");
    read_text_options(request, {.top = 3});
}

// Sites get their numbers (Space::numbers) only if something is watched.
LoadOptions load_options(const Request& request) {
    LoadOptions options = load_phase_or_all(request);
    options.watch.curves = true;
    return options;
}

DumpReport report(const Recording& recording, const Request& request) {
    const auto rows = std::make_shared<const SiteRows>(recording);
    TrainingReport found = find_training(recording, *rows, request);
    if (found.table.spaces.empty()) found = find_array_training(recording, *rows, request);
    const auto training = std::make_shared<const TrainingReport>(std::move(found));
    return {.write_text = whole_text([&recording, &request, rows, training](std::string& out) {
                write_training(out, recording, *training, *rows, request.text);
            }),
            .json = [rows, training] { return training_json(*training, *rows); }};
}

}  // namespace

const Command command_training{
    .name = "training",
    .help = "What the memory of a training is for: parameters, gradients, activations, …",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_options,
    .report = report,
    .needs_events = true,
    .reads_again = true,
};

}  // namespace memtrace::analyzer
