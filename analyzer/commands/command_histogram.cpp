// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/error.h"
#include "analyzer/charts/plot.h"
#include "analyzer/charts/report_histogram.h"
#include "analyzer/commands/command.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_space_option(options, request);
    add_min_option(options, request, "Leave out bars with fewer bytes than this");
    options.add_hidden("--top", request.typed.top);
    add_phase_option(options, request);
    add_range_options(options, request);
    add_filter_options(options, request);
}

void finish(Request& request) {
    if (request.typed.top != 0) {
        throw Error("--top: a histogram has all its bars; --min SIZE leaves out small ones");
    }
    read_text_options(request);
}

LoadOptions load_options(const Request& request) {
    LoadOptions options = load_phase_or_all(request);
    options.watch.bars = true;
    return options;
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text = whole_text([&](std::string& out) {
                write_histogram(out, recording, request.text, shows_utf8());
            }),
            .json = [&] { return histogram_json(recording); }};
}

}  // namespace

const Command command_histogram{
    .name = "histogram",
    .help = "Blocks by their size, and by how long they lived",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_options,
    .report = report,
    .needs_events = true,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
