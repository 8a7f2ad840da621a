// SPDX-License-Identifier: Apache-2.0
//
// The program memtrace. `memtrace run PROGRAM` records a program. All other commands are those of
// memtrace-report.
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
#include "launcher/run.h"
#include "launcher/say.h"

namespace {

using namespace memtrace;

constexpr const char* help = R"(memtrace run [OPTIONS] [--] PROGRAM [ARGUMENTS]
    runs a program and records its memory; memtrace run --help says more
memtrace doctor
    says what will be recorded on this machine and what not, and what to do
memtrace COMMAND [OPTIONS] DUMP
    reads what was recorded, as memtrace-report does; memtrace report --help lists the commands
memtrace completion bash|zsh|fish, memtrace man
    prints the completion of a shell, or the man page
)";

int run_program(const std::vector<std::string>& words) {
    const auto parsed = launcher::parse_run(words);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    try {
        return launcher::run(std::get<launcher::RunRequest>(parsed));
    } catch (const std::exception& error) {
        launcher::say(error.what());
        return analyzer::exit_cannot;
    }
}

int doctor(const std::vector<std::string>& words) {
    const auto parsed = launcher::parse_doctor(words);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    try {
        return launcher::run_doctor(std::get<launcher::DoctorRequest>(parsed));
    } catch (const std::exception& error) {
        launcher::say(error.what());
        return analyzer::exit_cannot;
    }
}

int report(int argc, const char* const* argv) {
    const auto parsed = analyzer::parse_command_line(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    return analyzer::run_and_say(std::get<analyzer::Request>(parsed));
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "run") return run_program({argv + 2, argv + argc});
    if (first == "doctor") return doctor({argv + 2, argv + argc});
    if (first == "completion" || first == "man") {
        return launcher::print_document({argv + 1, argv + argc});
    }
    if (first == "report") return report(argc - 1, argv + 1);
    if (first == "--version") return std::puts("memtrace " MEMTRACE_VERSION) < 0;
    if (first.empty() || first == "-h" || first == "--help") {
        std::fputs(help, first.empty() ? stderr : stdout);
        return first.empty() ? analyzer::exit_cannot : analyzer::exit_fine;
    }
    return report(argc, argv);
}
