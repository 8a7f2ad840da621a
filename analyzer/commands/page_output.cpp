// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/page_output.h"

#include <fmt/format.h>

#include <filesystem>

#include "analyzer/base/error.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/command.h"
#include "analyzer/growth/growth.h"

namespace memtrace::analyzer {

namespace fs = std::filesystem;

LoadOptions load_page(const Request& request) {
    LoadOptions options;
    options.slices = request.slices;
    options.slices->covers_run = true;
    options.threads = request.filters.threads;
    return options;
}

Request page_request(const Request& request) {
    Request page = request;
    page.command = &command_html;
    page.json.clear();
    page.phase.clear();
    page.from.clear();
    page.to.clear();
    page.page.sysroot = page.symbols.sysroot;
    page.page.interpreter_frames = page.text.interpreter_frames;
    page.growth.interpreter_frames = page.text.interpreter_frames;
    return page;
}

Page page_of(const Recording& recording, const Request& request) {
    const Growth growth = find_growth(recording, request.growth);
    return make_page(recording, growth, page_bundle(), request.page);
}

std::string write_page(const Recording& recording, const Request& request,
                       const std::string& path) {
    const Page page = page_of(recording, request);
    replace_file(path, page.html, request.page.with_command ? Readers::owner : Readers::umask);
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

std::string numbered_path(const std::string& path, size_t number) {
    if (number <= 1) return path;
    const fs::path whole(path);
    const std::string name =
        fmt::format("{}-{}{}", whole.stem().string(), number, whole.extension().string());
    return (whole.parent_path() / name).string();
}

void require_folder(const char* option, const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    std::error_code error;
    if (folder.empty() || fs::is_directory(folder, error)) return;
    throw Error(fmt::format("{} {}: there is no folder {}", option, printable(path),
                            printable(folder.string())));
}

}  // namespace memtrace::analyzer
