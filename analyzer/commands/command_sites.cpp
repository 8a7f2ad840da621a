// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"
#include "analyzer/report/report_sites.h"
#include "analyzer/report/report_summary.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_report_options(options, request);
    add_sort_option(options, request);
}

void finish(Request& request) {
    read_sort(request);
    read_text_options(request);
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text = whole_text([&](std::string& out) {
                write_sites(out, recording, request.sort, request.text);
            })};
}

}  // namespace

const Command command_sites{
    .name = "sites",
    .help = "All call sites, sorted by --sort",
    .add_options = add_options,
    .finish = finish,
    .sites = SiteFilter::all,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
