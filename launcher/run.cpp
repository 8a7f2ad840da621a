// SPDX-License-Identifier: Apache-2.0
#include "launcher/run.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "analyzer/base/error.h"
#include "launcher/dumps.h"
#include "launcher/environment.h"
#include "launcher/page.h"
#include "launcher/process.h"
#include "launcher/program.h"
#include "launcher/say.h"

namespace memtrace::launcher {
namespace {

using analyzer::Error;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

void set_variable(const char* name, const std::string& value) {
    if (!value.empty()) setenv(name, value.c_str(), 1);
}

// Opens the file for reports. This happens before the program runs, so that a wrong path is
// reported at once.
int open_report_file(const std::string& path) {
    if (path.empty()) return STDERR_FILENO;
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) throw Error(fmt::format("--report-file {}: {}", path, std::strerror(errno)));
    return fd;
}

// Reports the signal that ended the program, as a shell does. Prints nothing for signals that come
// from a person or a pipe.
void say_signal(const std::string& name, int number) {
    if (number == 0 || number == SIGINT || number == SIGPIPE || number == SIGTERM) return;
    say(fmt::format("{} was ended by signal {} ({})", name, number, strsignal(number)));
}

// Prints the reports of all dumps, then checks them. Returns the exit code of the check.
// `forecast`: why nothing could be recorded, if that was known before.
int report_and_check(const RunRequest& request, const std::vector<std::string>& dumps,
                     const std::string& forecast, int fd) {
    if (dumps.empty()) {
        say(fmt::format("nothing was recorded: no process of this run left a dump; {}",
                        forecast.empty() ? why_nothing_is_recorded(request.program) : forecast));
        return request.check ? analyzer::exit_cannot : analyzer::exit_fine;
    }
    // Reports write to standard output, which was the program's.
    dup2(fd, STDOUT_FILENO);
    int code = analyzer::exit_fine;
    for (const auto* asked : {&request.report, &request.check}) {
        if (!*asked) continue;
        analyzer::Request at_end = **asked;
        at_end.dumps = dumps;
        code = analyzer::run_and_say(std::move(at_end));
        if (asked == &request.report) code = analyzer::exit_fine;  // only a check may fail the run
    }
    return code;
}

}  // namespace

int exit_code_of_run(int program_code, int check_code) {
    return program_code != 0 ? program_code : check_code;
}

int run(const RunRequest& request) {
    const Program program = find_program(request.program[0]);
    if (program.code != start_fine) {
        say(program.problem);
        return program.code;
    }
    const std::string present = variable("LD_PRELOAD");
    Forecast forecast = forecast_preload(program.path);
    if (forecast.preload == Preload::works) {
        forecast.reason = why_environment_is_lost(request.program);
        if (!forecast.reason.empty()) say(forecast.reason);
    } else {
        say(fmt::format("{}: it runs unrecorded", forecast.reason));
    }
    if (forecast.preload != Preload::fatal) {
        set_variable("LD_PRELOAD", preload_list(present, find_shim()));
    }
    set_variable("MEMTRACE_OUTPUT", request.output);
    set_variable("MEMTRACE_OPTIONS", request.options);

    // If `memtrace run` was started by a recorded program, it must stay between that program and
    // the new one. The shim then finds it there and treats the new program as a first process
    // (preload/session/ancestry.h).
    const bool is_nested = names_shim(present);
    if (!request.does_something_at_the_end() && !is_nested) {
        return become(program.path, request.program);
    }
    const int fd = open_report_file(request.report_file);
    if (request.does_something_at_the_end() && variable("MEMTRACE_OUTPUT").empty()) {
        set_variable("MEMTRACE_OUTPUT", default_output());
    }
    const DumpsOfRun dumps_of_run(variable("MEMTRACE_OUTPUT"));
    const ProcessEnd end = start_and_wait(program.path, request.program);
    say_signal(request.program[0], end.signal);
    if (!request.does_something_at_the_end()) return end.code;
    const std::vector<std::string> dumps = dumps_of_run.made(end.pid);
    const int check_code = report_and_check(request, dumps, forecast.reason, fd);
    if (request.html && !dumps.empty()) {
        make_page(*request.html, dumps, request.open, list_without_shim(present));
    }
    return exit_code_of_run(end.code, check_code);
}

}  // namespace memtrace::launcher
