// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ci/check_sentences.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/paths.h"
#include "analyzer/base/saturating.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {

std::string band_text(Metric metric, const Band& band) {
    if (band.min == band.max) return short_text(metric, band.max);
    return short_text(metric, band.min) + " to " + short_text(metric, band.max);
}

namespace {

std::string empty_blocks_text(uint64_t blocks) { return counted(blocks, "block") + " of 0 bytes"; }

}  // namespace

std::string now_text(const LimitResult& result, const Blame& blame) {
    if (blame.now == 0 && blame.blocks != 0) return empty_blocks_text(blame.blocks);
    return short_text(result.limit.metric, blame.now);
}

std::string measured_text(const LimitResult& result) {
    if (!result.passed && result.measured == 0) return empty_blocks_text(result.blocks);
    return short_text(result.limit.metric, result.measured);
}

namespace {

// Returns "" for an exact figure.
std::string error_text(const LimitResult& result) {
    if (!result.is_estimate) return "";
    if (result.error == 0) return "; estimated from a sample";
    return fmt::format("; estimated from a sample, give or take {}",
                       short_text(result.limit.metric, result.error));
}

}  // namespace

std::string verdict_text(const LimitResult& result) {
    const Metric metric = result.limit.metric;
    if (result.limit.scope != Scope::space) {
        const std::string limit = allowance_text(result.limit);
        const size_t count = result.blamed.size() + result.blamed_more;
        if (count != 0 && result.measured == 0) {
            return fmt::format("{} with blocks of 0 bytes, limit {}", counted(count, "call site"),
                               limit);
        }
        if (count == 0) {
            return fmt::format("{} at most, limit {}{}", short_text(metric, result.measured), limit,
                               error_text(result));
        }
        return fmt::format("{} with more than {}{}", counted(count, "call site"), limit,
                           error_text(result));
    }
    const bool by_empty_blocks = !result.passed && result.measured == 0;
    const std::string measured =
        by_empty_blocks ? measured_text(result) : figure_text(metric, result.measured);
    std::string text = fmt::format("{}, limit {}{}", measured, figure_text(metric, result.allowed),
                                   error_text(result));
    if (!result.before) return text;
    const std::string before = band_text(metric, *result.before);
    if (!result.limit.is_relative) return text + "; before: " + before;
    return text + ": " + allowance_text(result.limit) + " on " + before + " before";
}

std::string before_text(const LimitResult& result, const Blame& blame) {
    if (blame.before) return band_text(result.limit.metric, *blame.before);
    if (!blame.below) return "";
    // The baseline lists nothing below the floor. The site may have been there.
    return *blame.below == 0 ? "new"
                             : "new, or less than " + short_text(result.limit.metric, *blame.below);
}

std::string blame_sentence(const LimitResult& result, const Blame& blame) {
    const std::string before = before_text(result, blame);
    const std::string now = now_text(result, blame);
    return fmt::format("{}: {} {}{}, by {}", title_of(result.limit),
                       row_of(result.limit.metric).name, now,
                       before.empty() ? "" : " (before: " + before + ")", blame.site);
}

std::string name_of(const CheckedDump& dump) {
    return dump.unread.empty() ? dump.result.measured.program : base_name(dump.path);
}

std::vector<SuppressionRemark> suppression_remarks(const CheckResult& result) {
    std::vector<SuppressionRemark> remarks;
    for (const SuppressionUse& use : result.suppressions) {
        const Suppression& suppression = use.suppression;
        const std::string reason =
            suppression.reason.empty() ? "" : " (" + suppression.reason + ")";
        if (use.is_expired) {
            remarks.push_back({suppression.file, suppression.line,
                               fmt::format("{} held until {} and suppresses nothing any more{}",
                                           suppression.name, suppression.until, reason)});
        } else if (use.blocks == 0 && use.held_blocks == 0 && !suppression.is_default) {
            remarks.push_back({suppression.file, suppression.line,
                               fmt::format("{} suppressed nothing; is it still needed?{}",
                                           suppression.name, reason)});
        }
    }
    return remarks;
}

SuppressedSum suppressed_sum(const CheckResult& result) {
    SuppressedSum sum;
    for (const SuppressionUse& use : result.suppressions) {
        add_saturating(sum.blocks, use.blocks);
        add_saturating(sum.bytes, use.bytes);
        add_saturating(sum.held_blocks, use.held_blocks);
        add_saturating(sum.held_bytes, use.held_bytes);
    }
    return sum;
}

std::string suppressed_text(const CheckResult& result) {
    const auto amount = [](uint64_t bytes, uint64_t blocks) {
        return fmt::format("{} ({}) in {}", human_bytes(bytes), counted(bytes, "byte"),
                           counted(blocks, "block"));
    };
    const SuppressedSum sum = suppressed_sum(result);
    const bool by_held =
        std::any_of(result.limits.begin(), result.limits.end(), [](const LimitResult& limit) {
            return limit.limit.metric == Metric::held_bytes ||
                   limit.limit.metric == Metric::held_blocks;
        });
    std::string text;
    if (sum.blocks != 0) text = "not counted as leaked: " + amount(sum.bytes, sum.blocks);
    if (by_held && sum.held_blocks != 0) {
        text += text.empty() ? "" : "; ";
        text += "not counted as held: " + amount(sum.held_bytes, sum.held_blocks);
    }
    return text.empty() ? "" : "Suppressed, " + text;
}

std::string possibly_lost_text(const CheckResult& result) {
    const bool by_lost =
        std::any_of(result.limits.begin(), result.limits.end(),
                    [](const LimitResult& limit) { return is_of_search(limit.limit.metric); });
    uint64_t blocks = 0, bytes = 0;
    for (const MeasuredSpace& space : result.measured.spaces) {
        blocks += space.possibly_lost_blocks;
        add_saturating(bytes, space.possibly_lost_bytes);
    }
    if (!by_lost || blocks == 0) return "";
    return fmt::format(
        "{} ({}) {} possibly lost, which no limit counts; memtrace-report leaks lists {}.",
        counted(blocks, "block"), human_bytes(bytes), blocks == 1 ? "is" : "are",
        blocks == 1 ? "it" : "them");
}

}  // namespace memtrace::analyzer
