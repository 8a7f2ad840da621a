// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/charts/report_temporary.h"
#include "analyzer/commands/command.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_report_options(options, request);
    options.add_count("--events", request.typed.events, 1'000'000'000,
                      "Blocks that were freed within N events of their allocation (an event is an "
                      "allocation or a release of any thread)");
    options.add_value("--within", request.typed.within, "TIME",
                      "Blocks that were freed within this time (100us, 5ms, 2s)");
}

void finish(Request& request) {
    read_text_options(request);
    request.brief.events = request.typed.events;
    if (request.typed.within.empty()) return;
    const std::optional<uint64_t> time = parse_time(request.typed.within);
    if (!time || *time == 0) {
        throw Error(fmt::format("--within {}: that is no time (examples: 100us, 5ms, 2s)",
                                printable(request.typed.within)));
    }
    request.brief.time_ns = *time;
}

LoadOptions load_options(const Request& request) {
    LoadOptions options = load_phase_or_all(request);
    options.watch.lives = true;
    options.watch.events_max = request.brief.events;
    options.watch.time_max_ns = request.brief.time_ns;
    return options;
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text = whole_text([&](std::string& out) {
                write_temporary(out, recording, request.brief, request.text);
            }),
            .json = [&] { return temporary_json(recording, request.brief); }};
}

}  // namespace

const Command command_temporary{
    .name = "temporary",
    .help = "Blocks that lived so short that their line could keep them",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_options,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
