// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"
#include "analyzer/report/report_gpu.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_filter_options(options, request);
    add_refused_range_options(options, request);
}

void finish(Request& request) {
    refuse_range(request,
                 "the ledger of a GPU is of its peak and of the end of the whole recording; leave "
                 "the range out, or ask sites for --space device:0");
    read_text_options(request);
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text =
                whole_text([&](std::string& out) { write_gpu(out, recording, request.text); }),
            .json = [&] { return gpu_ledger_json(recording); }};
}

}  // namespace

const Command command_gpu{
    .name = "gpu",
    .help = "Who takes what of each GPU, at its peak and at the end",
    .add_options = add_options,
    .finish = finish,
    .report = report,
};

}  // namespace memtrace::analyzer
