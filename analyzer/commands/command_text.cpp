// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"
#include "analyzer/reader/dump_text.h"

namespace memtrace::analyzer {

namespace {

DumpReport report(const Recording& recording, const Request&) {
    return {.write_text = [&](const Write& write) { write_dump_text(recording.path, write); }};
}

}  // namespace

const Command command_text{
    .name = "text",
    .help = "The dump itself, record by record, in words",
    .add_options = add_common_options,
    .report = report,
    .needs_events = true,
};

}  // namespace memtrace::analyzer
