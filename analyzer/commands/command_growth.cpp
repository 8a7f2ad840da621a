// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/command.h"
#include "analyzer/growth/growth_json.h"
#include "analyzer/report/report_growth.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_step_option(options, request);
    options.add_value(
        "--memory", request.typed.memory, "SIZE",
        "How much memory the host has, to say when it runs out (what the dump says: the "
        "machine's, or the limit of the control group)");
    add_top_option(options, request, "Findings (10)");
    add_depth_option(options, request, "Lines of each stack (10)");
    add_space_option(options, request);
    add_min_option(options, request, "Leave out findings that hold less than this");
    add_filter_options(options, request);
    add_refused_range_options(options, request);
}

void finish(Request& request) {
    refuse_range(request, "growth is judged in whole recordings; leave the range out");
    read_text_options(request);
    const std::string& memory = request.typed.memory;
    if (!memory.empty()) {
        request.growth.memory = parse_size(memory);
        if (!request.growth.memory) {
            throw Error(fmt::format("--memory {}: that is no size (examples: 500M, 64G, 1.5TiB)",
                                    printable(memory)));
        }
    }
    request.growth.interpreter_frames = request.text.interpreter_frames;
}

// Growth is judged in whole recordings. A phase is not cut into slices.
LoadOptions load_options(const Request& request) {
    LoadOptions options = load_phase_or_all(request);
    if (request.phase.empty()) options.slices = request.slices;
    return options;
}

DumpReport report(const Recording& recording, const Request& request) {
    const auto growth = std::make_shared<const Growth>(find_growth(recording, request.growth));
    return {.write_text = whole_text([&, growth](std::string& out) {
                write_growth(out, recording, *growth, request.text);
            }),
            .json = [&, growth] { return growth_json(recording, *growth); }};
}

}  // namespace

const Command command_growth{
    .name = "growth",
    .help = "What grows while it runs, told from caches and warm-up",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_options,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
