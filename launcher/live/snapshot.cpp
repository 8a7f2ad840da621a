// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/snapshot.h"

#include <time.h>

#include <filesystem>
#include <variant>

#include "analyzer/cli/cli.h"
#include "analyzer/cli/run.h"
#include "analyzer/live/find_program.h"

namespace memtrace::launcher {
namespace {

// Returns "memtrace.train.4711.bin" as "memtrace.train.4711.141503.profile", in this folder.
std::string name_of(const std::string& dump) {
    const time_t now = time(nullptr);
    tm local{};
    localtime_r(&now, &local);
    char clock[16];
    strftime(clock, sizeof clock, ".%H%M%S", &local);
    return std::filesystem::path(dump).stem().string() + clock + ".profile";
}

}  // namespace

int run_snapshot(const SnapshotRequest& request) {
    const analyzer::RecordedProgram program = analyzer::find_program(request.program);
    const std::string output = request.output.empty() ? name_of(program.dump_name) : request.output;
    const char* const words[] = {"memtrace-report", "profile", "-o", output.c_str(),
                                 program.dump.c_str()};
    auto parsed = analyzer::parse_command_line(5, words);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    std::get<analyzer::Request>(parsed).shown_as = program.dump_name;
    return analyzer::run_and_say(std::get<analyzer::Request>(parsed));
}

}  // namespace memtrace::launcher
