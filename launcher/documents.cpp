// SPDX-License-Identifier: Apache-2.0
#include "launcher/documents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "analyzer/base/error.h"
#include "analyzer/cli/cli.h"
#include "analyzer/cli/documents.h"
#include "launcher/cli.h"
#include "launcher/doctor/doctor_cli.h"
#include "launcher/live/live_cli.h"
#include "launcher/say.h"

namespace memtrace::launcher {
namespace {

// Appended to the commands of this program.
constexpr const char* variables = R"(
    MEMTRACE_OUTPUT    the dump: a path, with %p, %e, %r, %n as above (memtrace run)
    MEMTRACE_OPTIONS   settings of the recording; help=1 lists them
    MEMTRACE_LIBRARY   the recorder, if it is not beside this program)";

// What the parse of a command line would set.
struct Requests {
    RunRequest run;
    DoctorRequest doctor;
    TopRequest top;
    ServeRequest serve;
    SnapshotRequest snapshot;
    LostRequestOfUser lost;
    SwitchRequest start, stop;
    analyzer::Request report;
    analyzer::DocumentRequest document;
    std::string program, name;
};

// Declares the commands that memtrace-report does not have, and the two of both.
void declare_own(CLI::App& app, Requests& requests) {
    CLI::App* const run = app.add_subcommand("run", "Runs a program and records its memory");
    declare_run(*run, requests.run);
    run->add_option("program", requests.program, "The program")->type_name("PROGRAM");
    declare_doctor(*app.add_subcommand("doctor",
                                       "Says what will be recorded on this machine, and "
                                       "what to do about the rest"),
                   requests.doctor);
    declare_top(*app.add_subcommand("top", "Shows what a running program holds, updated in place"),
                requests.top);
    declare_snapshot(
        *app.add_subcommand("snapshot", "Writes the profile of a running program as it is now"),
        requests.snapshot);
    declare_lost(
        *app.add_subcommand("lost", "Asks a running program which of its blocks nothing points to"),
        requests.lost);
    declare_start(*app.add_subcommand("start", "Begins to record a running program"),
                  requests.start);
    declare_stop(*app.add_subcommand("stop", "Stops recording a running program"), requests.stop);
    declare_serve(*app.add_subcommand(
                      "serve", "Serves what a running program holds, for pprof and Prometheus"),
                  requests.serve);
    analyzer::add_document_commands(app, requests.document);
}

// The options of memtrace-report's commands are in its own man page.
analyzer::CommandTree tree_of_man_page() {
    const std::vector<std::string> own = own_commands();
    analyzer::CommandTree tree = tree_of_memtrace();
    for (analyzer::CommandTree& command : tree.commands) {
        const bool is_own = std::find(own.begin(), own.end(), command.name) != own.end();
        const bool has_more = command.options.size() > 1 || !command.footer.empty();  // than --help
        if (!is_own || !has_more) command.options.clear();
    }
    return tree;
}

std::string synopsis_of(const analyzer::CommandTree& own) {
    std::string forms =
        "memtrace run [OPTIONS] [--report [COMMAND] ...] [--check ...] [--] PROGRAM [ARGUMENTS]\n";
    std::string of_running_programs;
    for (const analyzer::CommandTree& command : own.commands) {
        if (command.takes_program) continue;
        if (command.takes_files) {
            of_running_programs += (of_running_programs.empty() ? "" : "|") + command.name;
        } else {
            forms += fmt::format("memtrace {}{}\n", command.name,
                                 command.words.empty()
                                     ? (command.options.size() > 1 ? " [OPTIONS]" : "")
                                     : " " + fmt::format("{}", fmt::join(command.words, "|")));
        }
    }
    return forms + fmt::format("memtrace {} [OPTIONS] [PID|DUMP]\n", of_running_programs) +
           "memtrace COMMAND [OPTIONS] [DUMP...]";
}

analyzer::CommandTree own_tree() {
    Requests requests;
    CLI::App app("", "memtrace");
    declare_own(app, requests);
    return analyzer::tree_of(app);
}

}  // namespace

std::vector<std::string> own_commands() {
    std::vector<std::string> names;
    for (const analyzer::CommandTree& command : own_tree().commands) names.push_back(command.name);
    return names;
}

analyzer::CommandTree tree_of_memtrace() {
    Requests requests;
    CLI::App app(
        "Records every allocation of a program, with its call stack and its time, into a file, the "
        "dump, and reports where the memory went.",
        "memtrace");
    app.set_version_flag("--version", "memtrace " MEMTRACE_VERSION);
    declare_own(app, requests);
    analyzer::add_commands(app, requests.report, requests.name);
    app.footer(fmt::format(
        "\nThese commands are memtrace's own; all others are memtrace-report's, with its options:\n"
        "    {}\n{}",
        fmt::join(own_commands(), ", "), variables));
    return analyzer::tree_of(app);
}

int print_document(const std::vector<std::string>& words) {
    analyzer::DocumentRequest request;
    CLI::App app("", "memtrace");
    analyzer::add_document_commands(app, request);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
        const std::string synopsis = synopsis_of(own_tree());
        const analyzer::ManPage page{
            "records every allocation of a program, with its call stack, and reports where memory "
            "went",
            synopsis, "memtrace-report(1)"};
        return analyzer::print_document(
            request, request.wants_man_page ? tree_of_man_page() : tree_of_memtrace(), page);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        say(error.what());
    } catch (const analyzer::Error& error) {
        say(error.what());
    }
    return analyzer::exit_cannot;
}

}  // namespace memtrace::launcher
