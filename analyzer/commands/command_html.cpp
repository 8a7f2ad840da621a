// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "analyzer/base/error.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/command.h"
#include "analyzer/page/page_html.h"

namespace memtrace::analyzer {

namespace {

void add_options(CLI::App& app, Request& request) {
    add_common_options(app, request);
    app.add_option("-o,--output", request.check.output,
                   "Write to FILE, or - for standard output (the dump's name, with .html)")
        ->type_name("FILE");
    add_step_option(app, request);
    app.add_flag("!--no-command", request.page.with_command,
                 "Leave out the arguments of the program");
    app.add_flag("!--no-source", request.page.with_source, "Leave out the lines of source files");
    app.add_flag("--short-paths", request.page.short_paths,
                 "Leave out the folders of paths, except those in a package");
    add_filter_options(app, request);
    add_refused_range_options(app, request);
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
    request.page.sysroot = request.symbols.sysroot;
    request.page.interpreter_frames = request.text.interpreter_frames;
    request.growth.interpreter_frames = request.text.interpreter_frames;
}

LoadOptions load_options(const Request& request) {
    LoadOptions options;
    options.slices = request.slices;
    options.slices->covers_run = true;
    options.threads = request.filters.threads;
    return options;
}

std::string sentence(const Page& page, const std::string& path) {
    std::string text = fmt::format("{}: {}, opens in any browser\n", printable(path),
                                   human_bytes(page.html.size()));
    if (page.folded_stacks != 0) {
        text += fmt::format(
            "  {} of {} are shown with their callers, to keep the page small; all "
            "are in its sums\n",
            exact_count(page.folded_stacks), counted(page.stacks, "call stack"));
    }
    return text;
}

DumpReport report(const Recording& recording, const Request& request) {
    const std::string path = output_beside(recording, request, ".html");
    const Growth growth = find_growth(recording, request.growth);
    const Page page = make_page(recording, growth, page_bundle(), request.page);
    if (path == "-") {
        return {.write_text = [html = page.html](const Write& write) { write(html); },
                .is_file = true};
    }
    replace_file(path, page.html, request.page.with_command ? Readers::owner : Readers::umask);
    return {.write_text =
                whole_text([text = sentence(page, path)](std::string& out) { out += text; })};
}

}  // namespace

const Command command_html{
    .name = "html",
    .help = "One page for the browser: timeline, flame graph, tables, growth",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_options,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
