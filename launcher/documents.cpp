// SPDX-License-Identifier: Apache-2.0
#include "launcher/documents.h"

#include <CLI/CLI.hpp>
#include <set>
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

constexpr analyzer::ManPage page{
    "records every allocation of a program, with its call stack, and reports where memory went",
    "memtrace run [OPTIONS] [--report [COMMAND] ...] [--check ...] [--] PROGRAM [ARGUMENTS]\n"
    "memtrace doctor [OPTIONS]\n"
    "memtrace top|serve|snapshot|start|stop [OPTIONS] [PID|DUMP]\n"
    "memtrace COMMAND [OPTIONS] [DUMP...]",
    "memtrace-report(1)"};

constexpr const char* footer = R"(
Every COMMAND but run, doctor, top, serve, snapshot, start, stop, completion and man is one of
memtrace-report's, with its options.

    MEMTRACE_OUTPUT    the dump: a path, with %p, %e, %r, %n
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

void declare(CLI::App& app, Requests& requests) {
    app.footer(footer);
    app.set_version_flag("--version", "memtrace " MEMTRACE_VERSION);
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
    analyzer::add_commands(app, requests.report, requests.name);
}

// The options of memtrace-report's commands are in its own man page.
analyzer::CommandTree tree_of_man_page() {
    static const std::set<std::string_view> own{"run",      "doctor", "top",   "serve",
                                                "snapshot", "lost",   "start", "stop"};
    analyzer::CommandTree tree = tree_of_memtrace();
    for (analyzer::CommandTree& command : tree.commands) {
        if (own.count(command.name) == 0) command.options.clear();
    }
    return tree;
}

}  // namespace

analyzer::CommandTree tree_of_memtrace() {
    Requests requests;
    CLI::App app(
        "Records every allocation of a program, with its call stack and its time, into a file, the "
        "dump, and reports where the memory went.",
        "memtrace");
    declare(app, requests);
    return analyzer::tree_of(app);
}

int print_document(const std::vector<std::string>& words) {
    analyzer::DocumentRequest request;
    CLI::App app("", "memtrace");
    analyzer::add_document_commands(app, request);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
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
