// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/live_cli.h"

#include <CLI/CLI.hpp>

#include "analyzer/base/error.h"
#include "analyzer/cli/cli.h"
#include "launcher/usage.h"

namespace memtrace::launcher {
namespace {

using Words = std::vector<std::string>;

constexpr const char* footer_of_top = R"(
PID|DUMP is a process id, or the dump that a program writes. Without it: the only program that
is recorded on this machine now. Nothing in the program is touched: its dump is read as it grows.

    s         sort: held, growth, calls
    tab       the next kind of memory: host, mmap, python, a GPU, …
    f or /    only lines with a text; esc shows all
    enter     the call stack that holds most of a line; enter goes back
    q         quit

HELD is what a line holds now, +/MIN by how much that grew in the last minute. The verdict and A
STEP are those of memtrace-report growth, which is asked again now and then.)";

constexpr const char* footer_of_serve = R"(
PID|DUMP as for memtrace top. The address is that of this machine alone unless --address says
another, and nothing can be changed through it.

    /debug/pprof/heap              the heap as pprof reads it: go tool pprof, Pyroscope, Parca
    /debug/pprof/heap?seconds=30   what is allocated, and stays, within 30 seconds
    /metrics                       OpenMetrics, for Prometheus: held, peak, growth by verdict)";

constexpr const char* footer_of_snapshot = R"(
PID|DUMP as for memtrace top. The profile is that of this moment, and every report reads it:

    memtrace snapshot 4711 -o now.profile
    memtrace leaks now.profile
    memtrace diff before.profile now.profile)";

constexpr const char* footer_of_lost = R"(
PID|DUMP as for memtrace top. The program makes a copy of itself that stands still, and goes on;
the copy is searched. While other threads are alive, that is done twice, a second apart.

    definitely lost   nothing points to the block any more
    indirectly lost   only lost blocks point to it
    possibly lost     only pointers into its middle, or the search was not sure)";

constexpr const char* about_lost =
    "Asks a running program which of its blocks nothing points to any more.";
constexpr const char* footer_of_start = R"(
PID|DUMP as for memtrace top. It was started to wait for this, or was stopped:

    memtrace run --options start=later -- ./server
    memtrace start 4711
    memtrace stop 4711

Blocks from before are not known, and their frees are counted apart.)";

constexpr const char* footer_of_stop = R"(
PID|DUMP as for memtrace top. It goes on, and costs nearly nothing until memtrace start. Reports
show what it held at this moment.)";

constexpr const char* about_start = "Begins to record a running program, or goes on with it.";
constexpr const char* about_stop = "Stops recording a running program. The program goes on.";
constexpr const char* about_top = "Shows what a running program holds, by the user's own lines.";
constexpr const char* about_serve =
    "Serves what a running program holds over HTTP, for profilers and monitoring.";
constexpr const char* about_snapshot =
    "Writes the profile of a running program as it is now. The program goes on.";

void add_program(CLI::App& app, std::string& program) {
    app.add_option("PID|DUMP", program, "A process id or a dump")->type_name("DUMP");
    set_usage(app, app.get_name() + " [OPTIONS] [PID|DUMP]");
}

template <class Request>
std::variant<Request, int> parse(const Words& words, const char* name, const char* about,
                                 void (*declare)(CLI::App&, Request&)) {
    Request request;
    const std::string command = std::string("memtrace ") + name;
    CLI::App app(about, command);
    declare(app, request);
    try {
        analyzer::refuse_empty_values(words);
        app.parse(Words(words.rbegin(), words.rend()));
        return request;
    } catch (const CLI::ParseError& error) {
        return answer(app, error, command);
    } catch (const analyzer::Error& error) {
        return say_misuse(error.what(), command);
    }
}

}  // namespace

void declare_top(CLI::App& app, TopRequest& request) {
    app.footer(footer_of_top);
    add_program(app, request.program);
    app.add_option("--interval", request.seconds,
                   "Seconds from one look to the next, 0.2 to 3600 (2)")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.2, 3600.0).description(""));
    app.add_flag("--once", request.once,
                 "Print one screen and end, as if the output is no terminal");
    app.add_option("--sort", request.sort, "held, growth or calls (held)")
        ->type_name("BY")
        ->check(CLI::IsMember({"held", "growth", "calls"}).description(""));
    app.add_option("--space", request.space, "Begin with this kind of memory (host)")
        ->type_name("SPACE");
    app.add_option("--filter", request.filter, "Only lines with this text")->type_name("TEXT");
}

void declare_serve(CLI::App& app, ServeRequest& request) {
    app.footer(footer_of_serve);
    add_program(app, request.program);
    app.add_option("--port", request.port, "The port, up to 65535; 0: any that is free (0)")
        ->type_name("N")
        ->check(CLI::Range(0, 65535).description(""));
    app.add_option("--address", request.address, "The address to listen on (127.0.0.1)")
        ->type_name("ADDRESS");
}

void declare_snapshot(CLI::App& app, SnapshotRequest& request) {
    app.footer(footer_of_snapshot);
    add_program(app, request.program);
    app.add_option("-o,--output", request.output,
                   "Write to FILE (the dump's name, the time of day and .profile)")
        ->type_name("FILE");
}

void declare_lost(CLI::App& app, LostRequestOfUser& request) {
    app.footer(footer_of_lost);
    add_program(app, request.program);
    app.add_option("--wait", request.seconds, "Seconds to wait for the answer, up to a day (120)")
        ->type_name("SECONDS")
        ->check(CLI::Range(0.1, 86400.0).description(""));
    app.add_flag("--all", request.all, "Blocks that are possibly lost or still reachable, too");
}

void declare_start(CLI::App& app, SwitchRequest& request) {
    app.footer(footer_of_start);
    add_program(app, request.program);
}

void declare_stop(CLI::App& app, SwitchRequest& request) {
    app.footer(footer_of_stop);
    add_program(app, request.program);
}

std::variant<TopRequest, int> parse_top(const Words& words) {
    return parse<TopRequest>(words, "top", about_top, declare_top);
}
std::variant<ServeRequest, int> parse_serve(const Words& words) {
    return parse<ServeRequest>(words, "serve", about_serve, declare_serve);
}
std::variant<SnapshotRequest, int> parse_snapshot(const Words& words) {
    return parse<SnapshotRequest>(words, "snapshot", about_snapshot, declare_snapshot);
}
std::variant<LostRequestOfUser, int> parse_lost(const Words& words) {
    return parse<LostRequestOfUser>(words, "lost", about_lost, declare_lost);
}

std::variant<SwitchRequest, int> parse_start(const Words& words) {
    return parse<SwitchRequest>(words, "start", about_start, declare_start);
}
std::variant<SwitchRequest, int> parse_stop(const Words& words) {
    return parse<SwitchRequest>(words, "stop", about_stop, declare_stop);
}

}  // namespace memtrace::launcher
