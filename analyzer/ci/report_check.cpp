// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ci/report_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/ci/check_sentences.h"
#include "analyzer/report/report_leaks.h"
#include "analyzer/report/report_sites.h"
#include "analyzer/report/report_summary.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t indent = 8;

// Four letters: what is known of a limit.
std::string state_word(const LimitResult& limit, const Style& style) {
    if (limit.is_open) return style.faint("open");
    return limit.passed ? style.good("pass") : style.bad("FAIL");
}

void write_blamed(std::string& out, const LimitResult& result, const TextOptions& options) {
    if (result.blamed.empty()) return;
    const Style style(options.colour);
    const bool has_before = result.blamed[0].before || result.blamed[0].below;
    size_t now_width = 10, before_width = 8;
    for (const Blame& blame : result.blamed) {
        now_width = std::max(now_width, now_text(result, blame).size());
        before_width = std::max(before_width, before_text(result, blame).size());
    }
    const auto row = [&](const std::string& now, const std::string& before) {
        return fmt::format("{:{}}{:>{}}  ", "", indent, now, now_width) +
               (has_before ? fmt::format("{:>{}}  ", before, before_width) : "");
    };
    const size_t where = row("", "").size();
    out += style.faint(row("NOW", "BEFORE") + "WHERE") + "\n";
    const size_t shown = std::min(result.blamed.size(), options.top);
    for (size_t i = 0; i < shown; ++i) {
        const Blame& blame = result.blamed[i];
        write_wrapped(
            out, row(now_text(result, blame), before_text(result, blame)) + printable(blame.site),
            where + 2, std::max(options.width, where + 40));
        const std::string place = text_of(blame.place);
        if (!blame.place.file.empty()) {
            out += std::string(where, ' ') + style.strong(printable(place)) + "\n";
        }
    }
    const size_t more = result.blamed.size() - shown + result.blamed_more;
    if (more != 0) out += std::string(where, ' ') + counted(more, "call site") + " more\n";
}

void write_suppressed(std::string& out, const CheckResult& result, const TextOptions& options) {
    const std::string sum = suppressed_text(result);
    if (!sum.empty()) {
        static constexpr std::string_view title = "Suppressed";
        write_title(out, options, std::string(title), sum.substr(title.size()));
        const bool by_held = suppressed_sum(result).blocks == 0;
        for (const SuppressionUse& use : result.suppressions) {
            const uint64_t bytes = by_held ? use.held_bytes : use.bytes;
            if ((by_held ? use.held_blocks : use.blocks) == 0) continue;
            const std::string reason =
                use.suppression.reason.empty() ? "" : ": " + use.suppression.reason;
            write_wrapped(out,
                          fmt::format("  {:>10}  {}", human_bytes(bytes),
                                      printable(use.suppression.name + reason)),
                          14, options.width);
        }
    }
    const std::vector<SuppressionRemark> remarks = suppression_remarks(result);
    if (remarks.empty()) return;
    write_title(out, options, "Suppressions to look at", "");
    for (const SuppressionRemark& remark : remarks) {
        write_wrapped(out,
                      printable(fmt::format("  {}:{}: {}", remark.file, remark.line, remark.text)),
                      4, options.width);
    }
}

// True if the sites to blame stand below their limit. They have figures of before, or they are not
// the sites of the whole recording: those of a phase, those that grow, those not suppressed.
bool lists_blamed(const LimitResult& limit, const CheckResult& result) {
    const MetricRow& row = row_of(limit.limit.metric);
    if (limit.before || limit.limit.scope != Scope::space) return true;
    if (!limit.limit.phase.empty() || is_rate(row)) return true;
    const SuppressedSum suppressed = suppressed_sum(result);
    return is_of_held(row.measure) && (suppressed.blocks != 0 || suppressed.held_blocks != 0);
}

// Without a baseline it is unknown which site has grown. All sites are listed, as in other reports.
void write_sites_to_blame(std::string& out, const Recording& recording, const CheckResult& result,
                          const TextOptions& options) {
    std::vector<std::pair<const Space*, Measure>> blamed;
    for (const LimitResult& limit : result.limits) {
        const Space* space = find_space(recording.model, limit.limit.space);
        const std::pair blame{space, row_of(limit.limit.metric).measure};
        if (limit.passed || lists_blamed(limit, result) || space == nullptr) continue;
        if (std::find(blamed.begin(), blamed.end(), blame) != blamed.end()) continue;
        blamed.push_back(blame);
        if (blame.second == Measure::at_peak) {
            write_peak_of(out, recording, *space, options);
        } else if (blame.second == Measure::leaked) {
            write_alive_of(out, recording, *space, options);
        } else {
            write_title(out, options, "Call sites of " + printable(space->name),
                        std::string(", ") + title_of(blame.second));
            write_site_list(out, recording, *space, blame.second, options);
        }
    }
}

}  // namespace

void write_check(std::string& out, const Recording& recording, const CheckResult& result,
                 const TextOptions& options) {
    const Style style(options.colour);
    write_program(out, recording, options);
    if (!result.baseline.empty()) {
        write_wrapped(out, "  compared with " + printable(result.baseline), 4, options.width);
    }
    out += "\n";
    for (const LimitResult& limit : result.limits) {
        std::string text;  // with the place of a word of four letters
        write_wrapped(
            text,
            fmt::format("        {}: {}", printable(title_of(limit.limit)), verdict_text(limit)), 8,
            options.width);
        out += "  " + state_word(limit, style) + text.substr(6);
        if (!limit.passed && lists_blamed(limit, result)) write_blamed(out, limit, options);
    }
    write_sites_to_blame(out, recording, result, options);
    write_suppressed(out, result, options);
    write_foot(out, recording, options);
    for (const std::string& remark : result.remarks) {
        out += "\n";
        write_wrapped(out, printable(remark), 2, options.width);
    }
    for (const std::string& obstacle : result.obstacles) {
        std::string text;
        write_wrapped(text, printable(obstacle), 2, options.width);
        text.pop_back();
        out += "\n" + style.bad(text) + "\n";
    }
}

}  // namespace memtrace::analyzer
