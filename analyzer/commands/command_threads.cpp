// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "analyzer/charts/report_threads.h"
#include "analyzer/commands/command.h"

namespace memtrace::analyzer {

namespace {

void add_options(CLI::App& app, Request& request) {
    add_common_options(app, request);
    add_top_option(app, request, "Threads of each table (20)");
    add_space_option(app, request);
    add_min_option(app, request, "Leave out threads that held less than this at the peak");
    add_phase_option(app, request);
    add_range_options(app, request);
    add_filter_options(app, request);
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
