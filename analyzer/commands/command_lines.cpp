// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "analyzer/commands/command.h"
#include "analyzer/report/report_lines.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    options.add_required_word("file", request.source, "Source file: its path, or the end of it");
    add_common_options(options, request);
    add_phase_option(options, request);
    add_space_option(options, request);
    add_range_options(options, request);
    add_top_option(options, request, "Show only the lines with most memory, so many of them");
    add_min_option(options, request, "Show only the lines with as much memory");
    add_filter_options(options, request);
}

void finish(Request& request) {
    request.text.lists_lines = request.typed.top != 0 || !request.typed.min.empty();
    read_text_options(request, {.top = SIZE_MAX});
}

DumpReport report(const Recording& recording, const Request& request) {
    const auto source = std::make_shared<const SourceFile>(
        find_source_file(recording, request.source, request.symbols.sysroot));
    return {.write_text = whole_text([&, source](std::string& out) {
                write_lines(out, recording, *source, request.text);
            }),
            .json = [&, source] { return lines_json(recording, *source); }};
}

}  // namespace

const Command command_lines{
    .name = "lines",
    .help = "A source file with the memory beside its lines: lines FILE DUMP",
    .add_options = add_options,
    .finish = finish,
    .report = report,
};

}  // namespace memtrace::analyzer
