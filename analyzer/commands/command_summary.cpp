// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"
#include "analyzer/report/report_own_lines.h"
#include "analyzer/report/report_summary.h"

namespace memtrace::analyzer {

namespace {

void finish(Request& request) {
    const double min_percent = request.typed.top == 0 ? 1 : 0;
    read_text_options(request, {.top = 3, .own_top = 5, .depth = 5, .min_percent = min_percent});
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text =
                whole_text([&](std::string& out) { write_summary(out, recording, request.text); }),
            .json = [&] { return own_lines_json(recording); }};
}

}  // namespace

const Command command_summary{
    .name = "summary",
    .help = "Program, peak and leaks by call site, problems (the default)",
    .add_options = add_own_report_options,
    .finish = finish,
    .sites = SiteFilter::all,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
