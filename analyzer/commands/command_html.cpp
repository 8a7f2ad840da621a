// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/page_output.h"

namespace memtrace::analyzer {

namespace {

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    options.add_value("-o,--output", request.check.output, "FILE",
                      "Write to FILE, or - for standard output (the dump's name, with .html)");
    add_step_option(options, request);
    add_page_options(options, request);
    add_filter_options(options, request);
    add_refused_range_options(options, request);
}

void finish(Request& request) {
    if (!request.json.empty()) {
        throw Error(fmt::format(
            "--json {}: html writes a page; the numbers are in the JSON of sites and growth",
            printable(request.json)));
    }
    if (!request.check.output.empty() && request.dumps.size() > 1) {
        throw Error(fmt::format("-o {}: each of {} has a page of its own; leave -o out",
                                printable(request.check.output),
                                counted(request.dumps.size(), "dump")));
    }
    refuse_range(request,
                 "the page has the whole recording, and a range is chosen in it; leave "
                 "the range out");
    read_text_options(request);
    request = page_request(request);
}

DumpReport report(const Recording& recording, const Request& request) {
    const std::string path = output_beside(recording, request, ".html");
    if (path == "-") {
        const Page page = page_of(recording, request);
        return {.write_text = [html = page.html](const Write& write) { write(html); },
                .is_file = true};
    }
    const std::string sentence = write_page(recording, request, path);
    return {.write_text = whole_text([sentence](std::string& out) { out += sentence; })};
}

}  // namespace

const Command command_html{
    .name = "html",
    .help = "One page for the browser: timeline, flame graph, tables, growth",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_page,
    .report = report,
    .reads_folded_frames = false,
    .keeps_loops = true,
    .reads_again = true,
};

}  // namespace memtrace::analyzer
