// SPDX-License-Identifier: Apache-2.0
//
// The program memtrace. `memtrace run PROGRAM` records a program. All other commands are those of
// memtrace-report.
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "analyzer/base/error.h"
#include "analyzer/cli/cli.h"
#include "launcher/cli.h"
#include "launcher/doctor/doctor_cli.h"
#include "launcher/documents.h"
#include "launcher/live/live_cli.h"
#include "launcher/run.h"
#include "launcher/say.h"

namespace {

using namespace memtrace;

constexpr const char* help = R"(memtrace run [OPTIONS] [--] PROGRAM [ARGUMENTS]
    runs a program and records its memory; memtrace run --help says more
memtrace doctor
    says what will be recorded on this machine and what not, and what to do
memtrace top [PID|DUMP]
    shows what a running program holds, by your own lines, updated in place
memtrace start [PID|DUMP], memtrace stop [PID|DUMP]
    switches the recording of a running program on and off
memtrace snapshot [PID|DUMP] [-o FILE]
    writes the profile of a running program as it is now
memtrace lost [PID|DUMP]
    asks a running program which of its blocks nothing points to any more
memtrace serve [PID|DUMP] [--port N]
    serves what a running program holds, for pprof and Prometheus
memtrace COMMAND [OPTIONS] DUMP
    reads what was recorded, as memtrace-report does; memtrace report --help lists the commands
memtrace completion bash|zsh|fish, memtrace man
    prints the completion of a shell, or the man page
)";

using Words = std::vector<std::string>;

// Parses the words after the name of a command, and runs it.
template <class Parsed, class Request>
int run_parsed(const Words& words, Parsed (*parse)(const Words&), int (*run)(const Request&)) {
    const Parsed parsed = parse(words);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    try {
        return run(std::get<Request>(parsed));
    } catch (const std::exception& error) {
        launcher::say(error.what());
        return analyzer::exit_cannot;
    }
}

int report(const Words& words) {
    std::vector<const char*> line{"memtrace"};
    for (const std::string& word : words) line.push_back(word.c_str());
    const analyzer::CalledProgram caller{"memtrace", launcher::own_commands()};
    const auto parsed =
        analyzer::parse_command_line(static_cast<int>(line.size()), line.data(), caller);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    return analyzer::run_and_say(std::get<analyzer::Request>(parsed));
}

int print_help(bool was_asked) {
    std::fputs(help, was_asked ? stdout : stderr);
    return was_asked ? analyzer::exit_fine : analyzer::exit_cannot;
}

}  // namespace

int main(int argc, char** argv) {
    Words words(argv + std::min(argc, 1), argv + argc);
    if (words.empty()) return print_help(false);
    if (words[0] == "help") {  // help COMMAND
        words.erase(words.begin());
        words.emplace_back("--help");
    }
    const std::string& first = words[0];
    const Words rest(words.begin() + 1, words.end());
    if (first == "run") return run_parsed(rest, launcher::parse_run, launcher::run);
    if (first == "doctor") return run_parsed(rest, launcher::parse_doctor, launcher::run_doctor);
    if (first == "top") return run_parsed(rest, launcher::parse_top, launcher::run_top);
    if (first == "serve") return run_parsed(rest, launcher::parse_serve, launcher::run_serve);
    if (first == "start") return run_parsed(rest, launcher::parse_start, launcher::run_start);
    if (first == "stop") return run_parsed(rest, launcher::parse_stop, launcher::run_stop);
    if (first == "snapshot") {
        return run_parsed(rest, launcher::parse_snapshot, launcher::run_snapshot);
    }
    if (first == "lost") return run_parsed(rest, launcher::parse_lost, launcher::run_lost);
    if (first == "completion" || first == "man") return launcher::print_document(words);
    if (first == "report") return report(rest);
    if (first == "--version") return std::puts("memtrace " MEMTRACE_VERSION) < 0;
    if (first.empty()) return print_help(false);
    if (first == "-h" || first == "--help") return print_help(true);
    return report(words);
}
