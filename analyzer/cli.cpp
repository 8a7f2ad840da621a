// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>

#include "analyzer/error.h"
#include "analyzer/log.h"
#include "analyzer/units.h"

namespace memtrace::analyzer {

namespace {

struct CommandRow {
    Command     command;
    const char* name;
    const char* help;
};

constexpr std::array<CommandRow, 12> commands{{
    {Command::summary, "summary", "Program, peak and leaks by call site, problems (the default)"},
    {Command::leaks, "leaks", "What was still allocated at the end, by call site"},
    {Command::peak, "peak", "What was allocated when memory was highest, by call site"},
    {Command::sites, "sites", "All call sites, sorted by --sort"},
    {Command::lines, "lines", "A source file with the memory beside its lines: lines FILE DUMP"},
    {Command::tree, "tree", "Who called whom, from the start of each thread inwards"},
    {Command::phases, "phases", "What each phase of the program took and left"},
    {Command::gpu, "gpu", "Who takes what of each GPU, at its peak and at the end"},
    {Command::oom, "oom", "Memory of a GPU was refused: who held it at that moment"},
    {Command::info, "info", "How it was recorded: coverage, modules, threads, marks"},
    {Command::check, "check", "Compare with limits; exit code 1 if one is exceeded"},
    {Command::text, "text", "The dump itself, record by record, in words"},
}};

constexpr const char* footer = R"(
Without a dump, the newest memtrace.*.bin of this folder is read.

Exit codes: 0 fine; 1 a check failed; 2 usage, or a file that cannot be read;
            3 the dump is damaged or incomplete (everything readable is reported).
Sizes are binary and take suffixes: 500K, 4GiB, 1T.
memtrace-report COMMAND --help lists the options of one command.)";

// The strings as typed; they become a Request when all is parsed.
struct Typed {
    std::vector<std::string> dumps;
    std::string              sort = "at-peak";
    std::string              min;
    size_t                   top   = 0;  // 0: as suits the command
    size_t                   depth = 0;
    std::vector<std::string> leaked_bytes;
    std::vector<std::string> leaked_blocks;
    std::vector<std::string> peak_bytes;
};

void add_common_options(CLI::App& app, Request& request, Typed& typed, const char* dumps_help) {
    app.add_option("dumps", typed.dumps, dumps_help);
    app.add_option("--json", request.json, "Write JSON to FILE, or - for standard output")
        ->type_name("FILE");
    app.add_flag("--whole-stacks", request.whole_stacks,
                 "JSON: never cut the stacks of a large program to their innermost frames, nor "
                 "its call tree to its largest calls");
    app.add_option("--sysroot", request.symbols.sysroot,
                   "Where the files of the traced machine are")->type_name("DIR");
    app.add_option("--debug-path", request.symbols.debug_paths,
                   "Look for binaries and debug files here too (repeatable)")
        ->type_name("DIR")->allow_extra_args(false);
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
    app.add_option("--depth", typed.depth, tree ? "Calls from the outside inwards (40)"
                                                : "Lines of each stack (10; in the summary 5)")
        ->type_name("N")->check(CLI::Range(1, 1'000'000, " "));
    app.add_option("--min", typed.min, tree ? "Leave out calls below this (1%)"
                                            : "Leave out call sites below this")
        ->type_name("SIZE|N%");
    app.add_flag("--all-frames", request.text.all_frames,
                 "Show frames of the C and C++ libraries and of allocators too");
    add_space_option(app, request);
}

void add_list_options(CLI::App& app, Request& request, Typed& typed) {
    app.add_option("--top", typed.top, "Call sites of each list (10; in the summary 5)")
        ->type_name("N")->check(CLI::Range(1, 1'000'000'000, " "));
    add_stack_options(app, request, typed);
}

void add_limit_options(CLI::App& app, Typed& typed) {
    const auto add = [&](const char* name, std::vector<std::string>& values, const char* help) {
        app.add_option(name, values, help)->type_name("[SPACE=]N")->allow_extra_args(false);
    };
    add("--max-leaked-bytes", typed.leaked_bytes,
        "Bytes that may be allocated at the end (of host, or SPACE; repeatable)");
    add("--max-leaked-blocks", typed.leaked_blocks, "Blocks that may be allocated at the end");
    add("--max-peak-bytes", typed.peak_bytes, "Bytes that may be allocated at any time");
}

// What only some commands have.
void add_options_of(Command command, CLI::App& app, Request& request, Typed& typed) {
    switch (command) {
    case Command::info:
    case Command::gpu:
    case Command::text: return;
    case Command::lines:
        add_phase_option(app, request);
        return add_space_option(app, request);
    case Command::phases:
        app.add_option("--top", typed.top, "Phases of each table (100)")
            ->type_name("N")->check(CLI::Range(1, 1'000'000'000, " "));
        app.add_flag("--each", request.each_phase,
                     "Names that differ only in their numbers are phases of their own");
        return add_space_option(app, request);
    case Command::tree: add_stack_options(app, request, typed); break;
    default: add_list_options(app, request, typed);
    }
    if (command == Command::check) add_limit_options(app, typed);
    if (command != Command::oom) add_phase_option(app, request);
    if (command == Command::oom) {
        app.add_flag("--all", request.all_refusals, "List the earlier refusals, too");
    }
    if (command == Command::sites || command == Command::tree) {
        app.add_option("--sort", typed.sort,
                       "at-peak, leaked, allocated, allocations, temporary or own-peak")
            ->type_name("BY");
    }
}

int complain(const std::string& sentence, const std::string& command) {
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

void read_limits(const Typed& typed, Request& request) {
    const auto read = [&](Metric metric, const std::vector<std::string>& texts) {
        for (const std::string& text : texts) request.limits.push_back(parse_limit(metric, text));
    };
    read(Metric::leaked_bytes, typed.leaked_bytes);
    read(Metric::leaked_blocks, typed.leaked_blocks);
    read(Metric::peak_bytes, typed.peak_bytes);
    if (!request.limits.empty()) return;
    const std::string dump = typed.dumps.empty() ? "" : " " + printable(typed.dumps[0]);
    throw Error(fmt::format("check{}: at least one limit is needed, --max-leaked-bytes, "
                            "--max-leaked-blocks or --max-peak-bytes", dump));
}

// "memtrace-report leeks dump.bin" is a slip in the command, not a second dump.
void refuse_unknown_command(const Typed& typed) {
    if (typed.dumps.empty()) return;
    const std::string& word = typed.dumps[0];
    std::error_code    error;
    if (word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, error)) {
        return;
    }
    std::string names;
    for (const CommandRow& row : commands) {
        names += names.empty() ? "" : ", ";
        names += row.name;
    }
    throw Error(fmt::format("{}: no such file, and no command of that name ({})", printable(word),
                            names));
}

void finish_request(const Typed& typed, Request& request) {
    if (request.command == Command::summary) refuse_unknown_command(typed);
    if (request.command == Command::check) read_limits(typed, request);
    const std::optional<Measure> sort = find_measure(typed.sort);
    if (!sort) {
        throw Error(fmt::format("--sort {}: sort by at-peak, leaked, allocated, allocations, "
                                "temporary or own-peak", printable(typed.sort)));
    }
    request.sort = *sort;
    if (!typed.min.empty()) {
        const std::optional<double>   part = parse_percent(typed.min);
        const std::optional<uint64_t> size = part ? 0 : parse_size(typed.min);
        if (!size) {
            throw Error(fmt::format("--min {}: that is no size and no part (examples: 500K, 4GiB, "
                                    "2%)", printable(typed.min)));
        }
        request.text.min_value   = *size;
        request.text.min_percent = part.value_or(0);
    }
    const bool tree = request.command == Command::tree;
    if (tree && request.sort == Measure::own_peak) {
        throw Error("--sort own-peak: what several sites held at most, each at its own time, does "
                    "not add up to a tree");
    }
    const bool brief      = request.command == Command::summary;
    const size_t top      = request.command == Command::phases ? 100 : brief ? 5 : 10;
    request.text.top      = typed.top != 0 ? typed.top : top;
    request.text.depth    = typed.depth != 0 ? typed.depth : tree ? 40 : brief ? 5 : 10;
    if (typed.min.empty() && (tree || (brief && typed.top == 0))) request.text.min_percent = 1;
    request.dumps         = typed.dumps;
    request.text.width  = terminal_width(STDOUT_FILENO);
    request.text.colour = wants_colour(STDOUT_FILENO);
}

}  // namespace

std::variant<Request, int> parse_command_line(int argc, const char* const* argv) {
    Request  request;
    Typed    typed;
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
            command->add_option("file", request.source,
                                "Source file: its path, or the end of it")->required();
        }
        add_common_options(*command, request, typed, "Dumps to read");
        add_options_of(row.command, *command, request, typed);
        command->callback([&request, &command_name, &row] {
            request.command = row.command;
            command_name    = row.name;
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
        return complain(sentence_of(error), command_name);
    } catch (const Error& error) {
        return complain(error.what(), command_name);
    }
}

}  // namespace memtrace::analyzer
