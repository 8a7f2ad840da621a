// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/command.h"
#include "analyzer/profile/profile_file.h"
#include "analyzer/profile/profile_text.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_step_option(options, request);
    options.add_value("-o,--output", request.check.output, "FILE",
                      "Write to FILE (the dump's name, with .profile)");
}

void finish(Request& request) {
    if (!request.json.empty()) {
        throw Error(
            fmt::format("--json {}: profile has no report; the profile that it writes has all",
                        printable(request.json)));
    }
    if (!request.check.output.empty() && request.dumps.size() > 1) {
        throw Error(
            fmt::format("-o {}: {} do not fit into one file; leave -o out, or let merge make one "
                        "profile of them",
                        printable(request.check.output), counted(request.dumps.size(), "dump")));
    }
    read_text_options(request);
}

DumpReport report(const Recording& recording, const Request& request) {
    const std::string path = output_beside(recording, request, ".profile");
    const std::string bytes = write_profile(recording);
    replace_file(path, bytes, Readers::owner, Replaces::profiles);
    return {.write_text = whole_text([&recording, path, size = bytes.size()](std::string& out) {
                out += profile_sentence(recording, path, size);
            })};
}

}  // namespace

const Command command_profile{
    .name = "profile",
    .help = "Write what all reports need, without the events: small, and named",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_everything,
    .report = report,
    .writes_output = true,
};

}  // namespace memtrace::analyzer
