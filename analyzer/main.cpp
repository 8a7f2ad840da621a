// SPDX-License-Identifier: Apache-2.0
//
// memtrace-report: dump.bin -> reader -> symbolise -> model -> report.
#include <variant>

#include "analyzer/cli.h"
#include "analyzer/commands.h"
#include "analyzer/error.h"
#include "analyzer/log.h"

int main(int argc, char** argv) {
    using namespace memtrace::analyzer;
    const auto parsed = parse_command_line(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    try {
        return run(std::get<Request>(parsed));
    } catch (const Error& error) {
        log_error(error.what());
    } catch (const std::bad_alloc&) {
        log_error("there is not enough memory for this dump");
    } catch (const std::exception& error) {
        log_error(std::string("cannot go on: ") + error.what());
    }
    return exit_cannot;
}
