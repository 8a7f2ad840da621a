// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/common_options.h"

#include <fmt/format.h>

#include <optional>
#include <tuple>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/phases/range_text.h"

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

void add_common_options(OptionList& options, Request& request) {
    options.add_words("dumps", request.dumps, "Dumps to read");
    options.add_value("--json", request.json, "FILE",
                      "Write JSON to FILE, or - for standard output");
    options.add_flag("--whole-stacks", request.whole_stacks,
                     "JSON: never cut the stacks of a large program to their innermost frames, nor "
                     "its call tree to its largest calls");
    options.add_value("--sysroot", request.symbols.sysroot, "DIR",
                      "Where the files of the traced machine are");
    options.add_values("--debug-path", request.symbols.debug_paths, "DIR",
                       "Look for binaries and debug files here too (repeatable)");
    options.add_flag("--debuginfod", request.symbols.debuginfod,
                     "Fetch missing debug files from $DEBUGINFOD_URLS");
    options.add_flag("--interpreter-frames", request.text.interpreter_frames,
                     "Show the C functions of the Python interpreter among Python functions too");
    options.add_flag("--verbose", request.verbose, "Say how long each step took");
}

void add_space_option(OptionList& options, Request& request) {
    options.add_value("--space", request.text.space, "NAME",
                      "Only this space (host, mmap, device:0, …)");
}

void add_phase_option(OptionList& options, Request& request) {
    options.add_value("--phase", request.phase, "NAME",
                      "As if the recording were this phase: a name of `phases`, with * for any "
                      "characters, or \"step 10..20\"");
}

void add_range_options(OptionList& options, Request& request) {
    options.add_value(
        "--from", request.from, "A",
        "As if the recording began there: a time (2.5s, 1m30s), \"step 12\" (marked, or as "
        "`steps` finds it), or the name of a phase or mark");
    options.add_value("--to", request.to, "B",
                      "As if it ended there; of a step or a phase, where that ends");
    add_step_option(options, request);
}

void add_refused_range_options(OptionList& options, Request& request) {
    options.add_hidden("--from", request.from);
    options.add_hidden("--to", request.to);
}

void add_filter_options(OptionList& options, Request& request) {
    SiteFilters& filters = request.filters;
    options.add_values(
        "--thread", filters.threads, "NAME|TID",
        "Only memory that this thread allocates, whoever frees it; with * for any characters "
        "(repeatable: any of them)");
    options.add_values("--module", filters.modules, "PATTERN",
                       "Only call sites with this file of code in their stack (repeatable)");
    options.add_values("--function", filters.functions, "PATTERN",
                       "Only call sites with this function in their stack (repeatable)");
    options.add_values(
        "--file", filters.files, "PATTERN",
        "Only call sites with a line of this source file in their stack (repeatable)");
    options.add_flag("--own", filters.own, "Only call sites with your own code in their stack");
    options.add_flag("--python-only", filters.python_only,
                     "Only call sites with Python functions in their stack, and only these frames");
}

void add_step_option(OptionList& options, Request& request) {
    options.add_value("--step", request.slices.step, "NAME",
                      "The mark that begins or ends a step; numbers in it do not matter (the most "
                      "frequent one)");
}

void add_sort_option(OptionList& options, Request& request) {
    options.add_value("--sort", request.typed.sort, "BY",
                      "at-peak, leaked, held, allocated, allocations, temporary or own-peak");
}

void add_top_option(OptionList& options, Request& request, const char* help) {
    options.add_count("--top", request.typed.top, 1'000'000'000, help);
}

void add_min_option(OptionList& options, Request& request, const char* help) {
    options.add_value("--min", request.typed.min, "SIZE|N%", help);
}

void add_depth_option(OptionList& options, Request& request, const char* help) {
    options.add_count("--depth", request.typed.depth, 1'000'000, help);
}

void add_all_frames_option(OptionList& options, Request& request) {
    options.add_flag("--all-frames", request.text.all_frames,
                     "Show frames of the C and C++ libraries and of allocators too");
}

void add_stack_options(OptionList& options, Request& request, const char* depth_help,
                       const char* min_help) {
    add_depth_option(options, request, depth_help);
    add_min_option(options, request, min_help);
    add_all_frames_option(options, request);
    add_space_option(options, request);
}

void add_list_options(OptionList& options, Request& request) {
    add_top_option(options, request,
                   "Your lines, and call sites of each list (10; in the summary 5 and 3)");
    add_stack_options(options, request, "Lines of each stack (10; in the summary 5)",
                      "Leave out lines and call sites below this");
}

void add_report_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_list_options(options, request);
    add_phase_option(options, request);
    add_range_options(options, request);
    add_filter_options(options, request);
}

void add_own_report_options(OptionList& options, Request& request) {
    add_report_options(options, request);
    options.add_flag("--all", request.text.all_rows,
                     "The table of your lines: all of them, all imports, and each library");
}

void read_text_options(Request& request, const TextDefaults& defaults) {
    const TypedOptions& typed = request.typed;
    request.text.top = typed.top != 0 ? typed.top : defaults.top;
    request.text.own_top = typed.top != 0 ? typed.top : defaults.own_top;
    request.text.depth = typed.depth != 0 ? typed.depth : defaults.depth;
    request.text.min_percent = defaults.min_percent;
    // Where memory is spread over thousands of places, the largest of them are an answer, too.
    constexpr size_t shown_least = 3;
    if (!typed.min.empty()) read_min(typed.min, request.text);
    else request.text.shown_least = shown_least;
    read_range(request);
}

void read_phase(Request& request) {
    const auto steps = split_steps(request.phase);
    if (!steps) return;
    if (!request.from.empty() || !request.to.empty()) {
        throw Error(
            fmt::format("--phase {}: these steps are a range already; leave out --from and --to",
                        printable(request.phase)));
    }
    std::tie(request.from, request.to) = *steps;
    request.phase.clear();
}

void read_range(Request& request) {
    read_phase(request);
    if (!request.from.empty()) parse_range_text("--from", request.from);
    if (!request.to.empty()) parse_range_text("--to", request.to);
}

void refuse_range(const Request& request, const char* why) {
    const bool has_from = !request.from.empty();
    if (!has_from && request.to.empty()) return;
    throw Error(fmt::format("--{} {}: {}", has_from ? "from" : "to",
                            printable(has_from ? request.from : request.to), why));
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

std::string output_beside(const Recording& recording, const Request& request,
                          std::string_view ending) {
    if (!request.check.output.empty()) return request.check.output;
    return file_beside(recording.path, ending);
}

std::string file_beside(const std::string& dump, std::string_view ending) {
    std::string name = dump == "-" ? "memtrace" : dump;
    for (const std::string_view own : {".bin", ".profile"}) {
        if (name.ends_with(own)) name.erase(name.size() - own.size());
    }
    return name.append(ending);
}

LoadOptions load_everything(const Request& request) {
    LoadOptions options;
    options.phases.list = true;
    options.slices = request.slices;
    options.slices->covers_end = true;
    return options;
}

LoadOptions load_phase_or_all(const Request& request) {
    LoadOptions options;
    options.phases.only = request.phase;
    options.phases.from = request.from;
    options.phases.to = request.to;
    options.phases.step = request.slices.step;
    options.threads = request.filters.threads;
    return options;
}

}  // namespace memtrace::analyzer
