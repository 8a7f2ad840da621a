// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/suppression_file.h"
#include "analyzer/commands/command.h"

namespace memtrace::analyzer {

namespace {

void finish(Request& request) {
    refuse_json(request);
    read_text_options(request);
}

}  // namespace

const Command command_suppressions{
    .name = "suppressions",
    .help = "Print the leaks that check does not count by itself",
    .add_options = add_common_options,
    .finish = finish,
    .print = default_suppressions_text,
};

}  // namespace memtrace::analyzer
