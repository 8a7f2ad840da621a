// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"
#include "analyzer/report/report_oom.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_list_options(options, request);
    options.add_flag("--all", request.all_refusals, "List the earlier refusals, too");
    add_filter_options(options, request);
    add_refused_range_options(options, request);
}

void finish(Request& request) {
    refuse_range(request, "oom is about the moment of the last refusal; leave the range out");
    read_text_options(request);
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text = whole_text([&](std::string& out) {
                write_oom(out, recording, request.all_refusals, request.text);
            }),
            .json = [&] { return oom_json(recording); }};
}

}  // namespace

const Command command_oom{
    .name = "oom",
    .help = "Memory of a GPU was refused: who held it at that moment",
    .add_options = add_options,
    .finish = finish,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
