// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "analyzer/base/error.h"
#include "analyzer/commands/command.h"
#include "analyzer/report/report_tree.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_top_option(options, request, "Callees of each call (all)");
    add_stack_options(options, request, "Calls from the outside inwards (40)",
                      "Leave out calls below this (1%)");
    add_phase_option(options, request);
    add_range_options(options, request);
    add_filter_options(options, request);
    add_sort_option(options, request);
}

void finish(Request& request) {
    read_sort(request);
    read_text_options(request, {.top = SIZE_MAX, .depth = 40, .min_percent = 1});
    if (request.sort == Measure::own_peak) {
        throw Error(
            "--sort own-peak: what several sites held at most, each at its own time, does "
            "not add up to a tree");
    }
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text = whole_text(
                [&](std::string& out) { write_tree(out, recording, request.sort, request.text); }),
            .json = [&] {
                return "\"tree\": " +
                       tree_json(recording, request.sort, request.text, request.frames_max());
            }};
}

}  // namespace

const Command command_tree{
    .name = "tree",
    .help = "Who called whom, from the start of each thread inwards",
    .add_options = add_options,
    .finish = finish,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
