// SPDX-License-Identifier: Apache-2.0
#include "launcher/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "analyzer/base/error.h"
#include "analyzer/cli/cli.h"
#include "analyzer/commands/command.h"
#include "launcher/usage.h"

namespace memtrace::launcher {
namespace {

using analyzer::Error;
using Words = std::vector<std::string>;

constexpr const char* own_name = "memtrace run";

constexpr const char* usage_of_run =
    "memtrace run [OPTIONS] [--report [COMMAND] …] [--check …] [--] PROGRAM [ARGUMENTS]";

constexpr const char* footer = R"(
The path of the dump (-o, MEMTRACE_OUTPUT) is memtrace.%e.%p.bin unless it is given. In it stand

    %p    for the process id
    %e    for the name of the program, or of the script that an interpreter runs
    %r    for the rank in a distributed job
    %n    for a counter, which makes the name one that is free

What stands behind --report or --check, up to --, are options of that command of memtrace-report:

    memtrace run -- python train.py
    memtrace run --report leaks --top 20 -- python train.py
    memtrace run --check --max-leaked-bytes 1M -- ./test
    memtrace run --open -- python train.py

The exit code is the program's (128 + N after signal N, 126 if it cannot be started, 127 if there is
no such program). If the program ended with 0, it is that of the check: 1 if a limit is broken, 2 if
nothing was recorded, 3 if a dump is damaged.)";

// The three parts of the command line, each as it was typed.
struct Parts {
    Words own;
    std::optional<Words> report, check;
    std::optional<std::string> html;
    Words program;
};

bool takes_value(const CLI::App& app, const std::string& word) {
    const CLI::Option* option = app.get_option_no_throw(word);
    return option != nullptr && option->get_items_expected_max() > 0;
}

// True for --NAME and --NAME=VALUE.
bool is_option(const std::string& word, const std::string& name) {
    return word == name || word.starts_with(name + "=");
}

// Returns the file of --html=FILE, or "" of --html.
std::string file_of_page(const std::string& word) {
    if (word.find('=') == std::string::npos) return "";
    std::string file = word.substr(word.find('=') + 1);
    if (file.empty()) throw Error("--html=: name a file behind it, or leave = out");
    if (file == "-") throw Error("--html=-: standard output is the program's; name a file");
    return file;
}

// The options of `memtrace run` end where the program begins: at the first word that is not an
// option, or after --. Options of memtrace-report may have values that look like a program, so the
// -- is required after them.
Parts split(const CLI::App& app, const Words& words) {
    Parts parts;
    Words* behind = nullptr;  // the options of a report or check that are being read
    size_t i = 0;
    for (; i < words.size() && words[i] != "--"; ++i) {
        const std::string& word = words[i];
        if (is_option(word, "--report")) {
            behind = &parts.report.emplace();
            if (word != "--report") behind->push_back(word.substr(word.find('=') + 1));
        } else if (word == "--check") {
            behind = &parts.check.emplace();
        } else if (is_option(word, "--html") && !(parts.check && behind == &*parts.check)) {
            parts.html = file_of_page(word);
        } else if (word == "--open") {
            parts.own.push_back(word);
        } else if (takes_value(app, word)) {
            parts.own.push_back(word);
            if (i + 1 < words.size()) parts.own.push_back(words[++i]);
        } else if (behind != nullptr) {
            behind->push_back(word);
        } else if (word.size() > 1 && word[0] == '-') {
            parts.own.push_back(word);
        } else {
            parts.program.assign(words.begin() + static_cast<ptrdiff_t>(i), words.end());
            return parts;
        }
    }
    if (i < words.size()) {
        parts.program.assign(words.begin() + static_cast<ptrdiff_t>(i) + 1, words.end());
    } else if (behind != nullptr &&
               std::find(behind->begin(), behind->end(), "--help") == behind->end()) {
        throw Error(
            "after --report or --check, put -- in front of the program: "
            "memtrace run --check --max-leaked-bytes 0 -- PROGRAM");
    }
    return parts;
}

// Returns the request to memtrace-report for the end of the run, or the exit code of
// parse_command_line(), which has then printed why.
std::variant<analyzer::Request, int> parse_report(const std::string& command, const Words& words) {
    std::vector<const char*> line{"memtrace-report", command.c_str()};
    for (const std::string& word : words) line.push_back(word.c_str());
    auto parsed = analyzer::parse_command_line(static_cast<int>(line.size()), line.data());
    if (const auto* request = std::get_if<analyzer::Request>(&parsed)) {
        if (!request->dumps.empty()) {
            throw Error("\"" + request->dumps[0] +
                        "\" is not understood in front of --: what is "
                        "read at the end are the dumps of this run");
        }
    }
    return parsed;
}

// Stores the request of a report or check. Returns an exit code if there is no request.
std::optional<int> take_report(const std::string& command, const Words& words,
                               std::optional<analyzer::Request>& request) {
    auto parsed = parse_report(command, words);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    request = std::move(std::get<analyzer::Request>(parsed));
    return std::nullopt;
}

// Stores the requests of the report and the check. Returns an exit code if there is nothing to run.
std::optional<int> take_reports(const Parts& parts, RunRequest& request) {
    if (parts.report) {
        const bool named = !parts.report->empty() && parts.report->front()[0] != '-';
        const Words rest(parts.report->begin() + (named ? 1 : 0), parts.report->end());
        if (const auto code =
                take_report(named ? parts.report->front() : "summary", rest, request.report)) {
            return code;
        }
    }
    if (!parts.check) return std::nullopt;
    if (const auto code = take_report("check", *parts.check, request.check)) return code;
    (void)analyzer::start_command(*request.check);  // throws if a file of the check is unusable
    return std::nullopt;
}

}  // namespace

void declare_run(CLI::App& app, RunRequest& request) {
    app.footer(footer);
    set_usage(app, usage_of_run);
    app.add_option("-o,--output", request.output,
                   "The dump: a path, with %p, %e, %r, %n as in MEMTRACE_OUTPUT")
        ->type_name("FILE");
    app.add_option("--options", request.options,
                   "Settings of the recording, as in MEMTRACE_OPTIONS; help=1 lists them")
        ->type_name("KEY=VALUE,...");
    app.add_option("--report-file", request.report_file,
                   "Write reports and the check's result there instead of standard error")
        ->type_name("FILE");
    app.add_flag("--open", request.open, "Open the page of --html in the browser");
    // The next options are declared only for the help. split() removes them and their options.
    app.add_flag_callback(
           "--html", [] {},
           "At the end make the page of the first process, in FILE or beside its dump")
        ->option_text("[=FILE]");
    app.add_flag_callback(
           "--report", [] {},
           "At the end print a report: summary (also without COMMAND), leaks, peak, …")
        ->option_text("[COMMAND] [OPTIONS]");
    app.add_flag_callback(
           "--check", [] {}, "At the end compare with limits, as memtrace-report check does")
        ->option_text("[OPTIONS]");
}

std::variant<RunRequest, int> parse_run(const Words& words) {
    RunRequest request;
    CLI::App app("Runs a program and records its memory.", own_name);
    declare_run(app, request);
    try {
        const Parts parts = split(app, words);
        analyzer::refuse_empty_values(parts.own);
        Words reversed(parts.own.rbegin(), parts.own.rend());
        app.parse(reversed);
        request.program = parts.program;
        request.html = parts.html;
        if (request.open && !request.html) request.html.emplace();
        if (const auto code = take_reports(parts, request)) return *code;
        if (request.program.empty()) return say_misuse("there is no program to run", own_name);
        return request;
    } catch (const CLI::ParseError& error) {
        return answer(app, error, own_name);
    } catch (const Error& error) {
        return say_misuse(error.what(), own_name);
    }
}

}  // namespace memtrace::launcher
