// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/charts/plot.h"
#include "analyzer/charts/report_timeline.h"
#include "analyzer/charts/timeline.h"
#include "analyzer/commands/command.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t width_piped = 80, width_most = 200;

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_top_option(options, request, "Curves, and phases below them (8)");
    options.add_value("--space", request.text.space, "NAME",
                      "Only this curve (resident, host, mmap, device:0, …)");
    add_min_option(options, request, "Leave out curves whose peak is below this");
    add_phase_option(options, request);
    add_range_options(options, request);
    add_filter_options(options, request);
}

void finish(Request& request) {
    read_text_options(request, {.top = 8});
    if (!request.phase.empty()) {
        throw Error(
            fmt::format("--phase {}: a phase may occur many times, and a timeline has one axis; "
                        "choose one occurrence by --from and --to",
                        printable(request.phase)));
    }
    if (request.text.min_percent != 0) {
        throw Error("--min: the curves have no common whole; name a size, like 500K");
    }
}

LoadOptions load_options(const Request& request) {
    LoadOptions options = load_phase_or_all(request);
    options.slices = request.slices;
    options.slices->covers_end = true;  // Of a profile, it is all that there is to draw.
    options.watch.curves = true;
    return options;
}

// A plot in a file or a pipe is as wide as most readers of it.
TextOptions text_options(const Request& request) {
    TextOptions options = request.text;
    const char* columns = std::getenv("COLUMNS");
    const bool is_told = columns != nullptr && *columns != '\0';
    if (!is_told && !is_terminal(STDOUT_FILENO)) options.width = width_piped;
    options.width = std::min(options.width, width_most);
    return options;
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text = whole_text([&](std::string& out) {
                write_timeline(out, recording, text_options(request), shows_utf8());
            }),
            .json = [&] { return timeline_json(recording, request.text); }};
}

}  // namespace

const Command command_timeline{
    .name = "timeline",
    .help = "Memory over time, as plots in the terminal",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_options,
    .report = report,
    .reads_folded_frames = false,
    .further_space = Timeline::resident,
};

}  // namespace memtrace::analyzer
