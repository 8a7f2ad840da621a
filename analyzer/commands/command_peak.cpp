// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"
#include "analyzer/report/report_summary.h"
#include "analyzer/sites/json_sites.h"

namespace memtrace::analyzer {

namespace {

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text =
                whole_text([&](std::string& out) { write_peak(out, recording, request.text); }),
            .json = [&] { return own_lines_json(recording); }};
}

}  // namespace

const Command command_peak{
    .name = "peak",
    .help = "What was allocated when memory was highest, by call site",
    .add_options = add_own_report_options,
    .sites = SiteFilter::at_peak,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
