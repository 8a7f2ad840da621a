// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"
#include "analyzer/report/report_host.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_top_option(options, request, "Call sites that pin free memory (10)");
    add_depth_option(options, request, "Lines of each stack (8)");
    add_refused_range_options(options, request);
}

void finish(Request& request) {
    refuse_range(request,
                 "the ledger of the host is of its peak and of the end of the whole recording; "
                 "leave the range out");
    read_text_options(request);
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text =
                whole_text([&](std::string& out) { write_host(out, recording, request.text); }),
            .json = [&] { return host_ledger_json(recording); }};
}

}  // namespace

const Command command_host{
    .name = "host",
    .help = "What the resident set of the process consists of, and what pins free memory",
    .add_options = add_options,
    .finish = finish,
    .report = report,
};

}  // namespace memtrace::analyzer
