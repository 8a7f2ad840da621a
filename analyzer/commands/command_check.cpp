// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "analyzer/base/error.h"
#include "analyzer/base/log.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/check/baseline_file.h"
#include "analyzer/check/estimated_spaces.h"
#include "analyzer/check/project_config.h"
#include "analyzer/check/unrecorded_spaces.h"
#include "analyzer/ci/check_json.h"
#include "analyzer/ci/check_sentences.h"
#include "analyzer/ci/report_annotations.h"
#include "analyzer/ci/report_check.h"
#include "analyzer/ci/report_junit.h"
#include "analyzer/ci/report_markdown.h"
#include "analyzer/ci/report_sarif.h"
#include "analyzer/commands/command.h"
#include "analyzer/commands/growth_limits.h"
#include "analyzer/commands/lost_limits.h"
#include "analyzer/commands/page_output.h"
#include "analyzer/growth/growth.h"

namespace memtrace::analyzer {

namespace {

namespace fs = std::filesystem;

// Returns the limits that need no baseline. A check that is about to write one uses only these.
std::vector<Limit> absolute_limits(const std::vector<Limit>& limits) {
    std::vector<Limit> found;
    std::copy_if(limits.begin(), limits.end(), std::back_inserter(found), [](const Limit& limit) {
        return !limit.is_relative && limit.scope != Scope::new_site;
    });
    return found;
}

void refuse_what_phases_have_not(const std::vector<Limit>& limits) {
    for (const Limit& limit : limits) {
        if (limit.phase.empty()) continue;
        if (limit.is_relative || limit.scope == Scope::new_site) {
            throw Error(
                fmt::format("the limit on {} cannot be checked: a baseline has no phases; "
                            "write a size in [phases.{}]",
                            printable(title_of(limit)), printable(limit.phase)));
        }
        if (is_of_search(limit.metric)) {
            throw Error(
                fmt::format("the limit on {} cannot be checked: a search for lost blocks is of "
                            "the whole program; move it from [phases.{}] to [limits]",
                            printable(title_of(limit)), printable(limit.phase)));
        }
        if (!is_rate(row_of(limit.metric))) continue;
        throw Error(
            fmt::format("the limit on {} cannot be checked: growth is judged in whole "
                        "recordings; move it from [phases.{}] to [limits]",
                        printable(title_of(limit)), printable(limit.phase)));
    }
}

std::vector<Limit> limits_of(const std::vector<Limit>& limits, const std::string& phase) {
    std::vector<Limit> found;
    std::copy_if(limits.begin(), limits.end(), std::back_inserter(found),
                 [&](const Limit& limit) { return limit.phase == phase; });
    return found;
}

std::set<std::string> phases_of(const std::vector<Limit>& limits) {
    std::set<std::string> phases;
    for (const Limit& limit : limits) {
        if (!limit.phase.empty() && !limit.is_off) phases.insert(limit.phase);
    }
    return phases;
}

void write_file(const std::string& path, const std::string& text) {
    if (!path.empty()) replace_file(path, text);
}

void append_summary(const std::string& text) {
    const char* const path = std::getenv("GITHUB_STEP_SUMMARY");
    if (path == nullptr || *path == '\0') return;
    std::ofstream file(path, std::ios::binary | std::ios::app);
    file << text << std::flush;
    if (!file) throw Error(fmt::format("cannot write the summary of the job, {}", path));
}

void add_obstacles(CheckResult& result, std::vector<std::string> more) {
    for (std::string& obstacle : more) result.obstacles.push_back(std::move(obstacle));
}

std::string band_change(const BaselineSpace& now, const BaselineSpace* before) {
    std::string text;
    for (const MetricRow& row : compared_metrics) {
        const Band& fresh = band(now.bands, row.metric);
        const bool had = before != nullptr && has_metric(*before, row.metric);
        const Band old = had ? band(before->bands, row.metric) : Band{};
        if (fresh == old) continue;
        text +=
            fmt::format("  {} {}: {}, before: {}\n", printable(now.name), row.name,
                        band_text(row.metric, fresh), had ? band_text(row.metric, old) : "none");
    }
    return text;
}

}  // namespace

Checks::Checks(CheckOptions options)
    : options_(std::move(options)), suppressions_(all_suppressions(options_)) {
    refuse_what_phases_have_not(options_.limits);
    std::error_code error;
    const bool is_first = options_.update_baseline && !fs::exists(options_.baseline, error);
    if (!options_.baseline.empty() && !is_first) baseline_ = read_baseline(options_.baseline);
}

void Checks::check_phases(const Recording& whole, const LoadPhase& load_phase,
                          CheckResult& result) const {
    for (const std::string& phase : phases_of(options_.limits)) {
        const Recording recording = load_phase(phase);
        Suppressor suppressor(recording, suppressions_, today_utc());
        const Measurements measured = measure(recording, suppressor, options_.root);
        std::vector<Limit> limits = limits_of(options_.limits, phase);
        add_obstacles(result, leave_out_unrecorded(whole, limits));
        add_obstacles(result, leave_out_estimates(measured, nullptr, limits));
        for (LimitResult& of_phase : check_limits(measured, nullptr, limits)) {
            result.limits.push_back(std::move(of_phase));
        }
    }
}

// Naming all call sites takes longer than everything else. Absolute limits on whole spaces need
// sites only to name those to blame, so only if such a limit is exceeded.
bool Checks::needs_sites(const Measurements& spaces) const {
    if (baseline_ || options_.update_baseline || asks_for_growth(options_)) return true;
    std::vector<Limit> limits = limits_of(options_.limits, "");
    leave_out_estimates(spaces, nullptr, limits);
    const bool on_sites = std::any_of(limits.begin(), limits.end(), [](const Limit& limit) {
        return limit.scope != Scope::space;
    });
    if (on_sites) return true;
    const std::vector<LimitResult> results = check_limits(spaces, nullptr, limits);
    return std::any_of(results.begin(), results.end(),
                       [](const LimitResult& limit) { return !limit.passed; });
}

Measurements Checks::measure_for_limits(const Recording& recording, const Growth* growth,
                                        CheckResult& result) const {
    const std::vector<Suppression> suppressions =
        with_program_suppressions(suppressions_, recording.model);
    Suppressor of_spaces(recording, suppressions, today_utc());
    Measurements spaces = measure_spaces(recording, of_spaces);
    result.suppressions = of_spaces.uses();
    if (!needs_sites(spaces)) return spaces;
    Suppressor of_sites(recording, suppressions, today_utc());
    return measure(recording, of_sites, options_.root, growth);
}

CheckResult Checks::check(const Recording& recording, const LoadPhase& load_phase) {
    CheckResult result;
    Growth growth;
    const bool by_growth = asks_for_growth(options_);
    if (by_growth) growth = find_growth(recording);
    result.measured = measure_for_limits(recording, by_growth ? &growth : nullptr, result);
    const Baseline* const baseline = baseline_ ? &*baseline_ : nullptr;
    result.obstacles = find_obstacles(recording, result.measured, baseline);
    std::vector<Limit> limits = limits_of(options_.limits, "");
    if (options_.update_baseline) {
        limits = absolute_limits(limits);
        add_obstacles(result, leave_out_unrecorded(recording, limits));
        add_obstacles(result, not_for_a_baseline(result.measured, baseline));
        add_obstacles(result, leave_out_estimates(result.measured, nullptr, limits));
        result.limits = check_limits(result.measured, nullptr, limits);
    } else {
        if (baseline != nullptr) {
            limits = merge_limits(std::move(limits), default_limits(result.measured, *baseline));
            result.remarks = not_compared(result.measured, *baseline);
        }
        result.baseline = options_.baseline;
        add_obstacles(result, leave_out_unrecorded(recording, limits));
        add_obstacles(result, leave_out_estimates(result.measured, baseline, limits));
        result.limits = check_limits(result.measured, baseline, limits);
    }
    if (by_growth) leave_out_unknown_growth(recording, growth, result);
    leave_out_unknown_lost(recording, result);
    if (std::string text = possibly_lost_text(result); !text.empty())
        result.remarks.push_back(std::move(text));
    add_obstacles(result, find_doubts(result.measured, result.limits));
    check_phases(recording, load_phase, result);
    if (is_incomplete(recording.model)) {
        for (LimitResult& limit : result.limits) limit.is_open = limit.passed;
    }
    dumps_.push_back({recording.path, result, ""});
    return result;
}

void Checks::add_unread(const std::string& path, const std::string& why) {
    dumps_.push_back({path, {}, why});
}

std::string Checks::update_baseline() const {
    const auto can_be_judged = [](const CheckedDump& dump) {
        return dump.unread.empty() && dump.result.obstacles.empty();
    };
    const bool can = std::all_of(dumps_.begin(), dumps_.end(), can_be_judged);
    const std::string path = printable(options_.baseline);
    if (!can || dumps_.empty()) return "\nThe baseline " + path + " was not written.\n";
    std::vector<Measurements> runs;
    for (const CheckedDump& dump : dumps_) runs.push_back(dump.result.measured);
    const Figures floors = floors_for(options_.limits);
    const Baseline fresh = baseline_ && runs.size() == 1
                               ? analyzer::update_baseline(*baseline_, runs[0], floors)
                               : make_baseline(runs, floors);
    replace_file(options_.baseline, baseline_text(fresh));
    std::string changes;
    for (const BaselineSpace& space : fresh.spaces) {
        changes += without_commands(
            band_change(space, baseline_ ? find_space(*baseline_, space.name) : nullptr));
    }
    return fmt::format("\nThe baseline {} was {}.\n{}", path, baseline_ ? "updated" : "written",
                       changes);
}

std::string Checks::finish() {
    std::string text = options_.update_baseline ? update_baseline() : "";
    write_file(options_.junit, junit_text(dumps_));
    write_file(options_.sarif, sarif_text(dumps_));
    write_file(options_.markdown, markdown_text(dumps_));
    if (options_.github) {
        text += annotations_text(dumps_);
        append_summary(markdown_text(dumps_));
    }
    return text;
}

namespace {

class CheckRun : public CommandRun {
public:
    explicit CheckRun(const Request& request) : request_(request), checks_(request.check) {
        if (!request.check.html.empty()) require_folder("--html", request.check.html);
    }

    DumpReport add(const Recording& recording, const Reload& reload) override {
        const auto result = std::make_shared<const CheckResult>(
            checks_.check(recording, [&](const std::string& phase) {
                Request of_phase = request_;
                of_phase.phase = phase;
                read_phase(of_phase);
                return reload(of_phase);
            }));
        dumps_ += 1;
        const std::string page =
            request_.check.html.empty() ? "" : write_page(recording.path, reload);
        return {.write_text = whole_text([&, result, page](std::string& out) {
                    write_check(out, recording, *result, request_.text);
                    if (!page.empty()) out.append("\n").append(page);
                }),
                .json = [result] { return check_json(*result); },
                .exit_code = exit_code_of(*result)};
    }

    bool add_unread(const std::string& path, const std::string& why) override {
        checks_.add_unread(path, why);
        return true;
    }

    std::string finish(int) override { return checks_.finish(); }

private:
    static int exit_code_of(const CheckResult& result) {
        if (!result.obstacles.empty()) return exit_incomplete;
        return has_passed(result) ? exit_fine : exit_check_failed;
    }

    // Returns a sentence about the page. A page that cannot be made changes no verdict.
    std::string write_page(const std::string& dump, const Reload& reload) const {
        const std::string path = numbered_path(request_.check.html, dumps_);
        try {
            const Request request = page_request(request_);
            return analyzer::write_page(reload(request), request, path);
        } catch (const std::exception& error) {
            log_error(fmt::format(
                "there is no page {}: {}", printable(path),
                dump == "-" ? "the dump is read twice, and standard input can be read only once"
                            : error.what()));
            return "";
        }
    }

    const Request& request_;
    Checks checks_;
    size_t dumps_ = 0;  // number of dumps that were checked
};

void add_options(OptionList& options, Request& request) {
    CheckOptions& check = request.check;
    add_common_options(options, request);
    add_list_options(options, request);
    add_project_options(options, check);
    add_limit_options(options, check.typed);
    options.add_value("--baseline", check.baseline, "FILE", "Compare with what this file says");
    options.add_flag("--update-baseline", check.update_baseline,
                     "Write the baseline instead of comparing with it (memtrace-baseline.json)");
    options.add_value("--junit", check.junit, "FILE", "Write JUnit XML");
    options.add_value("--sarif", check.sarif, "FILE", "Write SARIF 2.1.0");
    options.add_value("--markdown", check.markdown, "FILE", "Write Markdown");
    options.add_value("--html", check.html, "FILE",
                      "Write the page of the dump, whether the check passes or not; with several "
                      "dumps FILE, FILE-2, …");
    options.add_flag("--github", check.github,
                     "Print annotations for GitHub Actions, and add to $GITHUB_STEP_SUMMARY");
    add_phase_option(options, request);
    add_range_options(options, request);
    add_filter_options(options, request);
}

void finish(Request& request) {
    const CheckOptions& check = request.check;
    read_check_options(request.check);
    if (!request.phase.empty() && (!check.baseline.empty() || asks_for_growth(check))) {
        throw Error(
            fmt::format("--phase {}: baselines and growth are of whole recordings; leave "
                        "out one or the other",
                        printable(request.phase)));
    }
    if (asks_for_growth(check)) {
        refuse_range(request, "growth is judged in whole recordings; leave out one or the other");
    }
    if (check.limits.empty() && check.baseline.empty()) {
        const std::string dump = request.dumps.empty() ? "" : " " + printable(request.dumps[0]);
        throw Error(
            fmt::format("check{}: nothing says what is too much; name a limit, like "
                        "--max-leaked-bytes 1M, or a baseline, or write a {}",
                        dump, config_name));
    }
    if (check.html == "-") {
        throw Error("--html -: standard output is the text of the check; name a file");
    }
    read_text_options(request);
}

// Growth is judged in whole recordings. A phase that has limits is loaded separately, without
// histories.
LoadOptions load_options(const Request& request) {
    LoadOptions options = load_phase_or_all(request);
    if (request.phase.empty() && asks_for_growth(request.check)) options.slices = request.slices;
    return options;
}

std::unique_ptr<CommandRun> start(const Request& request) {
    return std::make_unique<CheckRun>(request);
}

}  // namespace

const Command command_check{
    .name = "check",
    .help = "Compare with limits and a baseline; exit code 1 if it is too much",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_options,
    .sites = SiteFilter::all,
    .start = start,
};

}  // namespace memtrace::analyzer
