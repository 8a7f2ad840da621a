// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_threads.h"
#include "analyzer/commands/command.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_top_option(options, request, "Threads of each table (20)");
    add_space_option(options, request);
    add_min_option(options, request, "Leave out threads that held less than this at the peak");
    add_phase_option(options, request);
    add_range_options(options, request);
    add_filter_options(options, request);
}

void finish(Request& request) { read_text_options(request, {.top = 20}); }

LoadOptions load_options(const Request& request) {
    LoadOptions options = load_phase_or_all(request);
    options.watch.threads = true;
    return options;
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text =
                whole_text([&](std::string& out) { write_threads(out, recording, request.text); }),
            .json = [&] { return threads_memory_json(recording); }};
}

}  // namespace

const Command command_threads{
    .name = "threads",
    .help = "What each thread allocated and held",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_options,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
