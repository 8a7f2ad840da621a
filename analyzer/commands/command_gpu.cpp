// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"
#include "analyzer/report/report_gpu.h"

namespace memtrace::analyzer {

namespace {

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text =
                whole_text([&](std::string& out) { write_gpu(out, recording, request.text); }),
            .json = [&] { return gpu_ledger_json(recording); }};
}

}  // namespace

const Command command_gpu{
    .name = "gpu",
    .help = "Who takes what of each GPU, at its peak and at the end",
    .add_options = add_common_options,
    .report = report,
};

}  // namespace memtrace::analyzer
