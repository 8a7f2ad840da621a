// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/start_stop.h"

#include <cstdio>

#include <fmt/format.h>

#include "analyzer/base/terminal.h"
#include "analyzer/commands/command.h"
#include "analyzer/live/find_program.h"
#include "launcher/live/recording_request.h"

namespace memtrace::launcher {
namespace {

using analyzer::RecordedProgram;

constexpr uint64_t wait_ms = 1500;  // A program that allocates obeys within 50 ms.

// Asks, and says what came of it. `done` and `to_come` follow the name of the program.
int ask(const SwitchRequest& request, bool record, const char* done, const char* to_come) {
    const RecordedProgram program = analyzer::find_program(request.program);
    analyzer::require_running(program);
    const std::string name = name_of(program);
    RecordingRequest asked(program.dump, name);
    asked.ask(record);
    const bool is_obeyed = asked.is_obeyed(wait_ms);
    std::puts(fmt::format("{} {}{}", name, is_obeyed ? done : to_come,
                          record ? ", into " + analyzer::printable(program.dump_name) : "")
                  .c_str());
    return analyzer::exit_fine;
}

}  // namespace

int run_start(const SwitchRequest& request) {
    return ask(request, true, "is recorded from now on",
               "will be recorded from its next allocation on");
}

int run_stop(const SwitchRequest& request) {
    return ask(request, false, "is not recorded from now on; memtrace start goes on with it",
               "will not be recorded from its next allocation on");
}

}  // namespace memtrace::launcher
