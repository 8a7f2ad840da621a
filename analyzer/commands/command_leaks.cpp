// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"
#include "analyzer/report/report_leaks.h"
#include "analyzer/report/report_summary.h"
#include "analyzer/sites/json_sites.h"

namespace memtrace::analyzer {

namespace {

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text =
                whole_text([&](std::string& out) { write_leaks(out, recording, request.text); }),
            .json = [&] { return own_lines_json(recording); }};
}

void add_options(OptionList& options, Request& request) {
    add_own_report_options(options, request);
    options.add_flag("--lost", request.text.lost_only,
                     "Only blocks that are definitely or indirectly lost, as a search has found "
                     "(lost=exit)");
}

}  // namespace

const Command command_leaks{
    .name = "leaks",
    .help = "What was still allocated at the end, by call site",
    .add_options = add_options,
    .sites = SiteFilter::leaked,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
