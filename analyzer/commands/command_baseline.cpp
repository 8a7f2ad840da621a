// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command_baseline.h"

#include <fmt/format.h>

#include <utility>

#include "analyzer/base/log.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/check/baseline_file.h"
#include "analyzer/check/estimated_spaces.h"
#include "analyzer/check/limit_check.h"
#include "analyzer/commands/command.h"
#include "analyzer/model/selection.h"

namespace memtrace::analyzer {

BaselineMaker::BaselineMaker(CheckOptions options)
    : options_(std::move(options)), suppressions_(all_suppressions(options_)) {}

std::string BaselineMaker::add(const Recording& recording) {
    std::string why = nothing_passes_text(recording.model);
    if (is_incomplete(recording.model)) {
        why = "the dump is damaged or incomplete; a baseline is made of whole ones only";
    }
    if (!why.empty()) {
        is_refused_ = true;
        return why;
    }
    Suppressor suppressor(recording, with_program_suppressions(suppressions_, recording.model),
                          today_utc());
    Measurements run = measure(recording, suppressor, options_.root);
    if (const auto obstacles = not_for_a_baseline(run, nullptr); !obstacles.empty()) {
        is_refused_ = true;
        return obstacles[0];
    }
    runs_.push_back(std::move(run));
    return "";
}

std::string BaselineMaker::finish() {
    if (is_refused_ || runs_.empty()) return "No baseline was written.\n";
    const std::string text = baseline_text(make_baseline(runs_, floors_for(options_.limits)));
    if (options_.output == "-") return text;
    const std::string& path = !options_.output.empty()    ? options_.output
                              : options_.baseline.empty() ? default_baseline
                                                          : options_.baseline;
    replace_file(path, text);
    return fmt::format(
        "{} was written from {}; memtrace-report check DUMP --baseline {} compares "
        "with it\n",
        printable(path), counted(runs_.size(), "recording"), printable(path));
}

namespace {

class BaselineRun : public CommandRun {
public:
    explicit BaselineRun(const Request& request) : maker_(request.check) {}

    DumpReport add(const Recording& recording, const Reload&) override {
        const std::string why = maker_.add(recording);
        DumpReport report;
        if (why.empty()) return report;
        log_error(printable(recording.path + ": " + why));
        report.exit_code = exit_incomplete;
        return report;
    }

    std::string finish(int exit_code) override {
        return exit_code == exit_fine ? maker_.finish() : "";
    }

private:
    BaselineMaker maker_;
};

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_project_options(options, request.check);
    options.add_value("-o,--output", request.check.output, "FILE",
                      "Write to FILE, or - for standard output (memtrace-baseline.json)");
    add_range_options(options, request);
    add_filter_options(options, request);
}

void finish(Request& request) {
    refuse_json(request);
    read_check_options(request.check);
    read_text_options(request);
}

// Ignores a phase that is requested before the command's name.
LoadOptions load_all_phases(const Request& request) {
    LoadOptions options = load_phase_or_all(request);
    options.phases.only.clear();
    return options;
}

std::unique_ptr<CommandRun> start(const Request& request) {
    return std::make_unique<BaselineRun>(request);
}

}  // namespace

const Command command_baseline{
    .name = "baseline",
    .help = "Write what check compares with, from one or more dumps",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_all_phases,
    .start = start,
};

}  // namespace memtrace::analyzer
