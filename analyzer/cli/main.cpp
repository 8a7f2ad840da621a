// SPDX-License-Identifier: Apache-2.0
//
// The program memtrace-report: dump.bin -> reader -> model -> symbolise -> report.
#include <variant>

#include "analyzer/cli/cli.h"
#include "analyzer/cli/run.h"

int main(int argc, char** argv) {
    using namespace memtrace::analyzer;
    const auto parsed = parse_command_line(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    return run_and_say(std::get<Request>(parsed));
}
