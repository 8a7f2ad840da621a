// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"
#include "analyzer/report/report_info.h"
#include "analyzer/report/report_summary.h"

namespace memtrace::analyzer {

namespace {

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text =
                whole_text([&](std::string& out) { write_info(out, recording, request.text); })};
}

}  // namespace

const Command command_info{
    .name = "info",
    .help = "How it was recorded: coverage, modules, threads, marks",
    .add_options = add_common_options,
    .report = report,
};

}  // namespace memtrace::analyzer
