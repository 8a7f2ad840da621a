// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/doctor_cli.h"

#include <CLI/CLI.hpp>

#include "launcher/usage.h"

namespace memtrace::launcher {
namespace {

constexpr const char* own_name = "memtrace doctor";

constexpr const char* footer = R"(
A trial is recorded, and its dump is read and removed. Each line is one of:

    ok        it is recorded, or of no consequence
    limited   it is recorded with the restriction that the line names
    no        it is not recorded, or not there

Exit codes: 0 recording works here; 1 it does not, or not of the program or Python that was named;
2 usage.)";

}  // namespace

void declare_doctor(CLI::App& app, DoctorRequest& request) {
    app.footer(footer);
    set_usage(app, "memtrace doctor [OPTIONS]");
    app.add_option("-o,--output", request.output,
                   "Where the dump will be, as in MEMTRACE_OUTPUT (this folder)")
        ->type_name("FILE");
    app.add_option("--program", request.program, "A program that is to be recorded")
        ->type_name("FILE");
    app.add_option("--python", request.python,
                   "The Python to look at (python3 and python in $PATH)")
        ->type_name("FILE");
    app.add_option("--json", request.json, "Write JSON to FILE, or to standard output without one")
        ->type_name("FILE")
        ->option_text("[FILE]")
        ->expected(0, 1);
}

std::variant<DoctorRequest, int> parse_doctor(const std::vector<std::string>& words) {
    DoctorRequest request;
    CLI::App app("Says what will be recorded on this machine and what not, and what to do.",
                 own_name);
    declare_doctor(app, request);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
        if (app.count("--json") > 0 && request.json.empty()) request.json = "-";
        return request;
    } catch (const CLI::ParseError& error) {
        return answer(app, error, own_name);
    }
}

}  // namespace memtrace::launcher
