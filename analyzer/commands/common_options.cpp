// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/common_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {

namespace {

void read_min(const std::string& typed, TextOptions& text) {
    const std::optional<double> part = parse_percent(typed);
    const std::optional<uint64_t> size = part ? 0 : parse_size(typed);
    if (!size) {
        throw Error(
            fmt::format("--min {}: that is no size and no part (examples: 500K, 4GiB, "
                        "2%)",
                        printable(typed)));
    }
    text.min_value = *size;
    text.min_percent = part.value_or(0);
}

}  // namespace

void add_common_options(CLI::App& app, Request& request) {
    app.add_option("dumps", request.dumps, "Dumps to read");
    app.add_option("--json", request.json, "Write JSON to FILE, or - for standard output")
        ->type_name("FILE");
    app.add_flag("--whole-stacks", request.whole_stacks,
                 "JSON: never cut the stacks of a large program to their innermost frames, nor "
                 "its call tree to its largest calls");
    app.add_option("--sysroot", request.symbols.sysroot,
                   "Where the files of the traced machine are")
        ->type_name("DIR");
    app.add_option("--debug-path", request.symbols.debug_paths,
                   "Look for binaries and debug files here too (repeatable)")
        ->type_name("DIR")
        ->allow_extra_args(false);
    app.add_flag("--debuginfod", request.symbols.debuginfod,
                 "Fetch missing debug files from $DEBUGINFOD_URLS");
    app.add_flag("--interpreter-frames", request.text.interpreter_frames,
                 "Show the C functions of the Python interpreter among Python functions too");
    app.add_flag("--verbose", request.verbose, "Say how long each step took");
}

void add_space_option(CLI::App& app, Request& request) {
    app.add_option("--space", request.text.space, "Only this space (host, mmap, device:0, …)")
        ->type_name("NAME");
}

void add_phase_option(CLI::App& app, Request& request) {
    app.add_option("--phase", request.phase,
                   "As if the recording were this phase: a name of `phases`, with * for any "
                   "characters")
        ->type_name("NAME");
}

void add_step_option(CLI::App& app, Request& request) {
    app.add_option("--step", request.slices.step,
                   "The mark that begins or ends a step; numbers in it do not matter (the most "
                   "frequent one)")
        ->type_name("NAME");
}

void add_sort_option(CLI::App& app, Request& request) {
    app.add_option("--sort", request.typed.sort,
                   "at-peak, leaked, held, allocated, allocations, temporary or own-peak")
        ->type_name("BY");
}

void add_top_option(CLI::App& app, Request& request, const char* help) {
    app.add_option("--top", request.typed.top, help)
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000'000, " "));
}

void add_depth_option(CLI::App& app, Request& request, const char* help) {
    app.add_option("--depth", request.typed.depth, help)
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000, " "));
}

void add_stack_options(CLI::App& app, Request& request, const char* depth_help,
                       const char* min_help) {
    add_depth_option(app, request, depth_help);
    app.add_option("--min", request.typed.min, min_help)->type_name("SIZE|N%");
    app.add_flag("--all-frames", request.text.all_frames,
                 "Show frames of the C and C++ libraries and of allocators too");
    add_space_option(app, request);
}

void add_list_options(CLI::App& app, Request& request) {
    add_top_option(app, request, "Call sites of each list (10; in the summary 5)");
    add_stack_options(app, request, "Lines of each stack (10; in the summary 5)",
                      "Leave out call sites below this");
}

void add_report_options(CLI::App& app, Request& request) {
    add_common_options(app, request);
    add_list_options(app, request);
    add_phase_option(app, request);
}

void read_text_options(Request& request, const TextDefaults& defaults) {
    const TypedOptions& typed = request.typed;
    request.text.top = typed.top != 0 ? typed.top : defaults.top;
    request.text.depth = typed.depth != 0 ? typed.depth : defaults.depth;
    request.text.min_percent = defaults.min_percent;
    if (!typed.min.empty()) read_min(typed.min, request.text);
}

void read_sort(Request& request) {
    const std::string& typed = request.typed.sort;
    const std::optional<Measure> sort = find_measure(typed);
    if (!sort) {
        throw Error(
            fmt::format("--sort {}: sort by at-peak, leaked, held, allocated, "
                        "allocations, temporary or own-peak",
                        printable(typed)));
    }
    request.sort = *sort;
}

void refuse_json(const Request& request) {
    if (request.json.empty()) return;
    throw Error(
        fmt::format("--json {}: this command has no report; baseline writes JSON by "
                    "itself, to --output FILE",
                    printable(request.json)));
}

void finish_options(Request& request) { read_text_options(request); }

LoadOptions load_phase_or_all(const Request& request) {
    LoadOptions options;
    options.phases.only = request.phase;
    return options;
}

}  // namespace memtrace::analyzer
