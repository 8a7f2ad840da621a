// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "analyzer/base/error.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/page_output.h"
#include "analyzer/diff/diff_json.h"
#include "analyzer/diff/diff_page.h"
#include "analyzer/diff/report_diff.h"
#include "analyzer/page/page_file.h"

namespace memtrace::analyzer {

namespace {

class DiffRun : public CommandRun {
public:
    explicit DiffRun(const Request& request) : request_(request) {
        if (!request.json.empty())
            json_ = std::make_unique<ReportOutput>(request.json, Readers::owner);
        if (!has_page()) return;
        require_folder("--html", request.check.html);
        require_bundle(page_bundle());
    }

    DumpReport add(const Recording& recording, const Reload&) override {
        std::error_code error;
        DiffSide side = make_diff_side(recording, std::filesystem::current_path(error).string(),
                                       has_page() ? &request_.page : nullptr);
        // Two snapshots are of one dump, so the files are named, and not what they were made of.
        side.path = request_.dumps[sides_.size()];
        if (has_page()) page_sides_.push_back(make_diff_page_side(recording, request_.page));
        write_foot(side.foot, recording, request_.text);
        sides_.push_back(std::move(side));
        return {};
    }

    std::string finish(int) override {
        if (sides_.size() != 2) return "Nothing was compared, because not both could be read.\n";
        const Diff diff = compare(std::move(sides_[0]), std::move(sides_[1]));
        const std::string page = has_page() ? write_page(diff) : "";
        if (json_ != nullptr) {
            write_diff_json(diff, [&](std::string_view text) { json_->write(text); });
            json_->finish();
            if (request_.json == "-") return "";
        }
        std::string text;
        write_diff(text, diff, request_.text);
        if (!page.empty()) text += "\n" + page;
        return text;
    }

private:
    bool has_page() const { return !request_.check.html.empty(); }

    // Returns a sentence about the page.
    std::string write_page(const Diff& diff) const {
        const DiffPage page =
            make_diff_page(diff, page_sides_[0], page_sides_[1], page_bundle(), request_.page);
        return write_page_file(request_.check.html, page.html, request_.page,
                               {page.stacks, page.folded_stacks});
    }

    const Request& request_;
    std::unique_ptr<ReportOutput> json_;  // nullptr: none was requested
    std::vector<DiffSide> sides_;
    std::vector<DiffPageSide> page_sides_;  // only for a page
};

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_top_option(options, request, "Your lines and call sites of each table (8 and 5)");
    add_depth_option(options, request, "Callers of each call site (6)");
    add_min_option(options, request, "Leave out what changed by less (of a table: N%)");
    add_space_option(options, request);
    add_phase_option(options, request);
    add_range_options(options, request);
    add_filter_options(options, request);
    options.add_value(
        "--html", request.check.html, "FILE",
        "Write the comparison as one page for the browser, with a flame graph of what "
        "grew (red) and shrank (blue)");
    add_page_options(options, request);
}

void finish(Request& request) {
    read_page_options(request);
    if (request.dumps.size() != 2) {
        throw Error(fmt::format(
            "diff compares two recordings, and {} named: memtrace-report diff BEFORE AFTER",
            request.dumps.size() == 1 ? "one is" : exact_count(request.dumps.size()) + " are"));
    }
    read_text_options(request, {.top = 5, .own_top = 8, .depth = 6});
}

// Steps are those of whole recordings.
LoadOptions load_options(const Request& request) {
    LoadOptions options = load_phase_or_all(request);
    const bool is_whole = request.phase.empty() && request.from.empty() && request.to.empty();
    if (is_whole) options.slices = request.slices;
    return options;
}

std::unique_ptr<CommandRun> start(const Request& request) {
    return std::make_unique<DiffRun>(request);
}

}  // namespace

const Command command_diff{
    .name = "diff",
    .help = "What grew, shrank, is new or gone between two recordings",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_options,
    .start = start,
    .reads_folded_frames = false,
    .writes_json = true,
};

}  // namespace memtrace::analyzer
