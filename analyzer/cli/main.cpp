// SPDX-License-Identifier: Apache-2.0
//
// The program memtrace-report: dump.bin -> reader -> model -> symbolise -> report.
#include <optional>
#include <string_view>
#include <variant>

#include "analyzer/cli/cli.h"
#include "analyzer/cli/run.h"
#include "analyzer/compact/compact_helper.h"
#include "analyzer/lost/search_lost.h"

int main(int argc, char** argv) {
    using namespace memtrace::analyzer;
    // Only the shim says these.
    if (argc > 1 && std::string_view(argv[1]) == search_lost_word) {
        return run_search_lost(argc - 2, argv + 2);
    }
    if (const std::optional<int> code = run_compact_helper(argc - 1, argv + 1)) return *code;
    const auto parsed = parse_command_line(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    return run_and_say(std::get<Request>(parsed));
}
