// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/page_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <future>

#include "analyzer/base/error.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/find_training.h"
#include "analyzer/frames/frame_facts.h"
#include "analyzer/growth/growth.h"
#include "analyzer/page/page_file.h"
#include "analyzer/profile/profile_file.h"
#include "analyzer/training/training_json.h"

namespace memtrace::analyzer {

namespace fs = std::filesystem;

namespace {

// Further passes tell kinds, so they are made only of a whole dump, in a file, that goes backward
// or has arrays of JAX or TensorFlow.
Json training_of(const Recording& recording, const Request& request) {
    std::error_code error;
    if (!request.filters.empty() || !fs::is_regular_file(recording.path, error) ||
        is_profile(recording.path)) {
        return nullptr;
    }
    const std::vector<Frame>& frames = recording.symbols.frames;
    const bool goes_backward = std::any_of(frames.begin(), frames.end(), [](const Frame& frame) {
        return frame.kind == FrameKind::backward;
    });
    const SiteRows rows(recording);
    const TrainingReport training = goes_backward ? find_training(recording, rows, request)
                                                  : find_array_training(recording, rows, request);
    return training_page_json(training, rows);
}

}  // namespace

void add_page_options(OptionList& options, Request& request) {
    options.add_negative_flag("--no-command", request.page.with_command,
                              "Of the page: leave out the arguments of the program");
    options.add_negative_flag("--no-source", request.page.with_source,
                              "Of the page: leave out the lines of source files");
    options.add_flag("--short-paths", request.page.short_paths,
                     "Of the page: leave out the folders of paths, except those in a package");
}

void read_page_options(Request& request) {
    PageOptions& page = request.page;
    page.sysroot = request.symbols.sysroot;
    page.interpreter_frames = request.text.interpreter_frames;
    const std::string& path = request.check.html;
    if (path == "-") {
        throw Error("--html -: standard output is the text of the report; name a file");
    }
    const char* const option = !page.with_command  ? "--no-command"
                               : !page.with_source ? "--no-source"
                               : page.short_paths  ? "--short-paths"
                                                   : nullptr;
    if (path.empty() && option != nullptr) {
        throw Error(fmt::format("{}: it is for the page; name its file with --html", option));
    }
}

LoadOptions load_page(const Request& request) {
    LoadOptions options;
    options.slices = request.slices;
    options.slices->covers_run = true;
    options.threads = request.filters.threads;
    options.watch.threads = true;
    // Curves of what filters pass take a further pass, which a page is not worth.
    options.watch.curves = options.watch.largest = request.filters.empty();
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
    require_bundle(page_bundle());
    facts_of(recording.symbols);  // Both of the following need them, and the first makes them.
    // These passes over the dump need nothing of growth, and growth nothing of them.
    std::future<Json> training =
        std::async(std::launch::async, [&] { return training_of(recording, request); });
    PageFindings findings{.growth = find_growth(recording, request.growth)};
    findings.training = training.get();
    return make_page(recording, findings, page_bundle(), request.page);
}

std::string write_page(const Recording& recording, const Request& request,
                       const std::string& path) {
    const Page page = page_of(recording, request);
    return write_page_file(path, page.html, request.page, {page.stacks, page.folded_stacks});
}

std::string write_page_file(const std::string& path, const std::string& html,
                            const PageOptions& options, PageStackCounts stacks) {
    replace_file(path, html, options.with_command ? Readers::owner : Readers::umask);
    std::string text =
        fmt::format("{}: {}, opens in any browser\n", printable(path), human_bytes(html.size()));
    if (stacks.folded != 0) {
        text += fmt::format(
            "  {} of {} are shown with their callers, to keep the page small; all "
            "are in its sums\n",
            exact_count(stacks.folded), counted(stacks.all, "call stack"));
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
