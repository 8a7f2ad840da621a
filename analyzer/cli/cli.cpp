// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/cli.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>

#include "analyzer/base/error.h"
#include "analyzer/base/log.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {

namespace {

struct CommandRow {
    Command command;
    const char* name;
    const char* help;
};

constexpr std::array<CommandRow, 15> commands{{
    {Command::summary, "summary", "Program, peak and leaks by call site, problems (the default)"},
    {Command::leaks, "leaks", "What was still allocated at the end, by call site"},
    {Command::growth, "growth", "What grows while it runs, told from caches and warm-up"},
    {Command::peak, "peak", "What was allocated when memory was highest, by call site"},
    {Command::sites, "sites", "All call sites, sorted by --sort"},
    {Command::lines, "lines", "A source file with the memory beside its lines: lines FILE DUMP"},
    {Command::tree, "tree", "Who called whom, from the start of each thread inwards"},
    {Command::phases, "phases", "What each phase of the program took and left"},
    {Command::gpu, "gpu", "Who takes what of each GPU, at its peak and at the end"},
    {Command::oom, "oom", "Memory of a GPU was refused: who held it at that moment"},
    {Command::info, "info", "How it was recorded: coverage, modules, threads, marks"},
    {Command::check, "check", "Compare with limits and a baseline; exit code 1 if it is too much"},
    {Command::baseline, "baseline", "Write what check compares with, from one or more dumps"},
    {Command::suppressions, "suppressions", "Print the leaks that check does not count by itself"},
    {Command::text, "text", "The dump itself, record by record, in words"},
}};

constexpr const char* footer = R"(
Without a dump, the newest memtrace.*.bin of this folder is read.

Exit codes: 0 fine; 1 a check failed; 2 usage, or a file that cannot be read;
            3 the dump is damaged or incomplete (everything readable is reported), or
            check cannot judge it.
Sizes are binary and take suffixes: 500K, 4GiB, 1T.
memtrace-report COMMAND --help lists the options of one command.)";

// The strings as typed; they become a Request when all is parsed.
struct Typed {
    std::vector<std::string> dumps;
    std::string sort = "at-peak";
    std::string min;
    std::string memory;
    size_t top = 0;  // 0: as suits the command
    size_t depth = 0;
    std::array<std::vector<std::string>, metrics.size()> limits;  // by Metric
    std::vector<std::string> site_limits;
    std::vector<std::string> new_site_limits;
    bool no_default_suppressions = false;
};

void add_common_options(CLI::App& app, Request& request, Typed& typed, const char* dumps_help) {
    app.add_option("dumps", typed.dumps, dumps_help);
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

void add_stack_options(CLI::App& app, Request& request, Typed& typed) {
    const bool tree = app.get_name() == "tree";
    app.add_option("--depth", typed.depth,
                   tree ? "Calls from the outside inwards (40)"
                        : "Lines of each stack (10; in the summary 5)")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000, " "));
    app.add_option("--min", typed.min,
                   tree ? "Leave out calls below this (1%)" : "Leave out call sites below this")
        ->type_name("SIZE|N%");
    app.add_flag("--all-frames", request.text.all_frames,
                 "Show frames of the C and C++ libraries and of allocators too");
    add_space_option(app, request);
}

void add_list_options(CLI::App& app, Request& request, Typed& typed) {
    app.add_option("--top", typed.top, "Call sites of each list (10; in the summary 5)")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000'000, " "));
    add_stack_options(app, request, typed);
}

void add_step_option(CLI::App& app, Request& request) {
    app.add_option("--step", request.slices.step,
                   "The mark that begins or ends a step; numbers in it do not matter (the most "
                   "frequent one)")
        ->type_name("NAME");
}

void add_growth_options(CLI::App& app, Request& request, Typed& typed) {
    add_step_option(app, request);
    app.add_option("--memory", typed.memory,
                   "How much memory the host has, to say when it runs out (what the dump says: the "
                   "machine's, or the limit of the control group)")
        ->type_name("SIZE");
    app.add_option("--top", typed.top, "Findings (10)")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000'000, " "));
    app.add_option("--depth", typed.depth, "Lines of each stack (10)")
        ->type_name("N")
        ->check(CLI::Range(1, 1'000'000, " "));
    add_space_option(app, request);
}

void add_limit_options(CLI::App& app, Typed& typed) {
    const auto add = [&](const std::string& name, std::vector<std::string>& values,
                         const std::string& type, const std::string& help) {
        app.add_option(name, values, help)->type_name(type)->allow_extra_args(false);
    };
    for (const MetricRow& row : metrics) {
        add(fmt::format("--max-{}", row.name), typed.limits[static_cast<size_t>(row.metric)],
            "[SPACE=]N|+N%", fmt::format("{} (of host, or SPACE; repeatable)", row.help));
    }
    add("--max-site", typed.site_limits, "METRIC=[SPACE=]N|+N%", "The same for each call site");
    add("--max-new-site", typed.new_site_limits, "METRIC=[SPACE=]N",
        "The same for each call site that the baseline does not have (leaked-bytes=64K)");
}

// What `check` and `baseline` have in common.
void add_limit_options(CLI::App& app, CheckOptions& check, Typed& typed) {
    app.add_option("--config", check.config, "Limits and files of the project (memtrace.toml)")
        ->type_name("FILE");
    app.add_option("--suppressions", check.suppressions,
                   "Leaks that are accepted, as LeakSanitizer or valgrind have them (repeatable)")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_flag("--no-default-suppressions", typed.no_default_suppressions,
                 "Count what memtrace-report suppressions prints, too");
    app.add_option("--root", check.root, "Show files relative to this folder (the configuration's)")
        ->type_name("DIR");
}

void add_check_options(CLI::App& app, CheckOptions& check, Typed& typed) {
    add_limit_options(app, typed);
    app.add_option("--baseline", check.baseline, "Compare with what this file says")
        ->type_name("FILE");
    app.add_flag("--update-baseline", check.update_baseline,
                 "Write the baseline instead of comparing with it (memtrace-baseline.json)");
    app.add_option("--junit", check.junit, "Write JUnit XML")->type_name("FILE");
    app.add_option("--sarif", check.sarif, "Write SARIF 2.1.0")->type_name("FILE");
    app.add_option("--markdown", check.markdown, "Write Markdown")->type_name("FILE");
    app.add_flag("--github", check.github,
                 "Print annotations for GitHub Actions, and add to $GITHUB_STEP_SUMMARY");
}

void add_baseline_options(CLI::App& app, Request& request, Typed& typed) {
    add_limit_options(app, request.check, typed);
    app.add_option("--output", request.check.output,
                   "Write to FILE, or - for standard output (memtrace-baseline.json)")
        ->type_name("FILE");
}

// What only some commands have.
void add_options_of(Command command, CLI::App& app, Request& request, Typed& typed) {
    switch (command) {
        case Command::info:
        case Command::gpu:
        case Command::text: return;
        case Command::suppressions: return;
        case Command::lines: add_phase_option(app, request); return add_space_option(app, request);
        case Command::phases:
            app.add_option("--top", typed.top, "Phases of each table (100)")
                ->type_name("N")
                ->check(CLI::Range(1, 1'000'000'000, " "));
            app.add_flag("--each", request.each_phase,
                         "Names that differ only in their numbers are phases of their own");
            return add_space_option(app, request);
        case Command::growth: return add_growth_options(app, request, typed);
        case Command::baseline: return add_baseline_options(app, request, typed);
        case Command::tree: add_stack_options(app, request, typed); break;
        default: add_list_options(app, request, typed);
    }
    if (command == Command::check) {
        add_limit_options(app, request.check, typed);
        add_check_options(app, request.check, typed);
        add_step_option(app, request);
    }
    if (command != Command::oom) add_phase_option(app, request);
    if (command == Command::oom) {
        app.add_flag("--all", request.all_refusals, "List the earlier refusals, too");
    }
    if (command == Command::sites || command == Command::tree) {
        app.add_option("--sort", typed.sort,
                       "at-peak, leaked, held, allocated, allocations, temporary or own-peak")
            ->type_name("BY");
    }
}

int fail(const std::string& sentence, const std::string& command) {
    log_error(fmt::format("{} (memtrace-report {}--help says what is possible)", sentence,
                          command.empty() ? "" : command + " "));
    return exit_cannot;
}

// CLI11's sentences, with the ones that users meet put in plainer words.
std::string sentence_of(const CLI::ParseError& error) {
    std::string text = error.what();
    const std::string unknown = "The following argument was not expected: ";
    const std::string several = "The following arguments were not expected: ";
    if (text.starts_with(unknown)) {
        return "there is no option " + printable(text.substr(unknown.size()));
    }
    if (text.starts_with(several)) {
        // CLI11 lists the last one first.
        return "not understood: " + printable(text.substr(several.size()));
    }
    const std::string mistyped = "Could not convert: ";
    if (text.starts_with(mistyped)) {
        return "not a number: " + printable(text.substr(mistyped.size()));
    }
    return printable(text);
}

void read_limits(const Typed& typed, CheckOptions& check) {
    for (const MetricRow& row : metrics) {
        const std::string option = fmt::format("--max-{}", row.name);
        for (const std::string& text : typed.limits[static_cast<size_t>(row.metric)]) {
            check.limits.push_back(parse_limit(row.metric, Scope::space, text, option));
        }
    }
    for (const std::string& text : typed.site_limits) {
        check.limits.push_back(parse_site_limit(Scope::site, text, "--max-site"));
    }
    for (const std::string& text : typed.new_site_limits) {
        check.limits.push_back(parse_site_limit(Scope::new_site, text, "--max-new-site"));
    }
}

void finish_check(const Typed& typed, Request& request) {
    CheckOptions& check = request.check;
    if (typed.no_default_suppressions) check.default_suppressions = false;
    read_limits(typed, check);
    add_config(check);
    if (request.command != Command::check) return;
    check.growth = request.growth;
    if (!request.phase.empty() && (!check.baseline.empty() || asks_for_growth(check))) {
        throw Error(
            fmt::format("--phase {}: baselines and growth are of whole recordings; leave "
                        "out one or the other",
                        printable(request.phase)));
    }
    if (!check.limits.empty() || !check.baseline.empty()) return;
    const std::string dump = typed.dumps.empty() ? "" : " " + printable(typed.dumps[0]);
    throw Error(
        fmt::format("check{}: nothing says what is too much; name a limit, like "
                    "--max-leaked-bytes 1M, or a baseline, or write a {}",
                    dump, config_name));
}

// "memtrace-report leeks dump.bin" is a slip in the command, not a second dump.
void refuse_unknown_command(const Typed& typed) {
    if (typed.dumps.empty()) return;
    const std::string& word = typed.dumps[0];
    std::error_code error;
    if (word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, error)) {
        return;
    }
    std::string names;
    for (const CommandRow& row : commands) {
        names += names.empty() ? "" : ", ";
        names += row.name;
    }
    throw Error(
        fmt::format("{}: no such file, and no command of that name ({})", printable(word), names));
}

void finish_request(const Typed& typed, Request& request) {
    if (request.command == Command::summary) refuse_unknown_command(typed);
    const bool plain =
        request.command == Command::baseline || request.command == Command::suppressions;
    if (plain && !request.json.empty()) {
        throw Error(
            fmt::format("--json {}: this command has no report; baseline writes JSON by "
                        "itself, to --output FILE",
                        printable(request.json)));
    }
    const bool gate = request.command == Command::check || request.command == Command::baseline;
    if (gate) finish_check(typed, request);
    const std::optional<Measure> sort = find_measure(typed.sort);
    if (!sort) {
        throw Error(
            fmt::format("--sort {}: sort by at-peak, leaked, held, allocated, "
                        "allocations, temporary or own-peak",
                        printable(typed.sort)));
    }
    request.sort = *sort;
    if (!typed.min.empty()) {
        const std::optional<double> part = parse_percent(typed.min);
        const std::optional<uint64_t> size = part ? 0 : parse_size(typed.min);
        if (!size) {
            throw Error(
                fmt::format("--min {}: that is no size and no part (examples: 500K, 4GiB, "
                            "2%)",
                            printable(typed.min)));
        }
        request.text.min_value = *size;
        request.text.min_percent = part.value_or(0);
    }
    if (!typed.memory.empty()) {
        request.growth.memory = parse_size(typed.memory);
        if (!request.growth.memory) {
            throw Error(fmt::format("--memory {}: that is no size (examples: 500M, 64G, 1.5TiB)",
                                    printable(typed.memory)));
        }
    }
    request.growth.interpreter_frames = request.text.interpreter_frames;
    const bool tree = request.command == Command::tree;
    if (tree && request.sort == Measure::own_peak) {
        throw Error(
            "--sort own-peak: what several sites held at most, each at its own time, does "
            "not add up to a tree");
    }
    const bool brief = request.command == Command::summary;
    const size_t top = request.command == Command::phases ? 100 : brief ? 5 : 10;
    request.text.top = typed.top != 0 ? typed.top : top;
    request.text.depth = typed.depth != 0 ? typed.depth : tree ? 40 : brief ? 5 : 10;
    if (typed.min.empty() && (tree || (brief && typed.top == 0))) request.text.min_percent = 1;
    request.dumps = typed.dumps;
    request.text.width = terminal_width(STDOUT_FILENO);
    request.text.colour = wants_colour(STDOUT_FILENO);
}

}  // namespace

std::variant<Request, int> parse_command_line(int argc, const char* const* argv) {
    Request request;
    Typed typed;
    CLI::App app("Reads what libmemtrace.so recorded, and says where memory went.",
                 "memtrace-report");
    app.footer(footer);
    app.set_version_flag("--version", "memtrace-report " MEMTRACE_VERSION);
    app.require_subcommand(0, 1);
    add_common_options(app, request, typed, "Dumps to read");
    add_list_options(app, request, typed);
    add_phase_option(app, request);
    std::string command_name;
    for (const CommandRow& row : commands) {
        CLI::App* command = app.add_subcommand(row.name, row.help);
        if (row.command == Command::lines) {
            command->add_option("file", request.source, "Source file: its path, or the end of it")
                ->required();
        }
        add_common_options(*command, request, typed, "Dumps to read");
        add_options_of(row.command, *command, request, typed);
        command->callback([&request, &command_name, &row] {
            request.command = row.command;
            command_name = row.name;
        });
    }
    try {
        app.parse(argc, argv);
        start_log(request.verbose);
        finish_request(typed, request);
        return request;
    } catch (const CLI::ParseError& error) {
        start_log(false);
        if (error.get_exit_code() == 0) return app.exit(error);
        return fail(sentence_of(error), command_name);
    } catch (const Error& error) {
        return fail(error.what(), command_name);
    }
}

}  // namespace memtrace::analyzer
