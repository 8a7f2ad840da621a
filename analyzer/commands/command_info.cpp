// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"
#include "analyzer/report/report_info.h"
#include "analyzer/report/report_summary.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_top_option(options, request, "Threads and marks (20)");
    add_filter_options(options, request);
    add_refused_range_options(options, request);
}

void finish(Request& request) {
    refuse_range(request, "info is about the whole recording; leave the range out");
    read_text_options(request, {.top = 20});
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text =
                whole_text([&](std::string& out) { write_info(out, recording, request.text); })};
}

}  // namespace

const Command command_info{
    .name = "info",
    .help = "How it was recorded: coverage, modules, threads, marks",
    .add_options = add_options,
    .finish = finish,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
