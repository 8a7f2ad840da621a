// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ci/report_markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {

namespace {

std::string before_of(const LimitResult& result) {
    return result.before ? band_text(result.limit.metric, *result.before) : "";
}

std::string measured_of(const LimitResult& result) {
    const size_t sites = result.blamed.size() + result.blamed_more;
    if (result.limit.scope == Scope::space || result.passed) {
        return measured_text(result);
    }
    return counted(sites, "call site") + " above";
}

std::string allowed_of(const LimitResult& result) {
    const std::string rule = allowance_text(result.limit);
    if (!result.limit.is_relative || result.limit.scope != Scope::space) return rule;
    return short_text(result.limit.metric, result.allowed) + " (" + rule + ")";
}

std::string blamed_text(const LimitResult& result) {
    std::string text = "\n**" + markdown_escaped(title_of(result.limit)) + "**\n\n" +
                       "| now | before | call site | line |\n|---:|---:|---|---|\n";
    for (const Blame& blame : result.blamed) {
        text += fmt::format("| {} | {} | {} | {} |\n", now_text(result, blame),
                            before_text(result, blame), markdown_escaped(blame.site),
                            blame.place.file.empty() ? "" : markdown_escaped(text_of(blame.place)));
    }
    if (result.blamed_more != 0) {
        text += fmt::format("\nand {} more\n", counted(result.blamed_more, "call site"));
    }
    return text;
}

std::string dump_text(const CheckedDump& dump) {
    if (!dump.unread.empty()) {
        return "### memtrace: " + markdown_escaped(name_of(dump)) + " cannot be judged\n\n> " +
               markdown_escaped(dump.unread) + "\n\n";
    }
    const CheckResult& check = dump.result;
    const bool passed = has_passed(check) && check.obstacles.empty();
    std::string text =
        fmt::format("### memtrace: {} {}\n\n", markdown_escaped(check.measured.program),
                    passed                     ? "is within its limits"
                    : !check.obstacles.empty() ? "cannot be judged"
                                               : "is beyond its limits");
    for (const std::string& obstacle : check.obstacles) {
        text += "> " + markdown_escaped(obstacle) + "\n\n";
    }
    text += "| | limit | measured | allowed | before |\n|---|---|---:|---:|---:|\n";
    for (const LimitResult& result : check.limits) {
        text += fmt::format("| {} | {} | {} | {} | {} |\n",
                            result.is_open  ? "open"
                            : result.passed ? "pass"
                                            : "**FAIL**",
                            markdown_escaped(title_of(result.limit)), measured_of(result),
                            allowed_of(result), before_of(result));
    }
    for (const LimitResult& result : check.limits) {
        if (!result.passed && !result.blamed.empty()) text += blamed_text(result);
    }
    const std::string suppressed = suppressed_text(check);
    if (!suppressed.empty()) text += "\n" + suppressed + ".\n";
    for (const std::string& remark : check.remarks) text += "\n" + markdown_escaped(remark) + "\n";
    const std::vector<SuppressionRemark> remarks = suppression_remarks(check);
    if (!remarks.empty()) text += "\nSuppressions to look at:\n\n";
    for (const SuppressionRemark& remark : remarks) {
        text += markdown_escaped(fmt::format("{}:{}: {}", remark.file, remark.line, remark.text))
                    .insert(0, "- ") +
                "\n";
    }
    return text + "\n";
}

}  // namespace

namespace {

// The summary of a job takes one megabyte. A name that fills it would leave nothing of the rest.
std::string cut(const std::string& text) {
    constexpr size_t columns_max = 2000;
    return display_width(text) <= columns_max ? text : cut_to_width(text, columns_max) + "...";
}

}  // namespace

std::string markdown_escaped(std::string_view text) {
    static constexpr std::string_view special = "\\`*_{}[]#~$";
    static constexpr std::string_view as_entity = "<>&|@";  // a backslash does not escape them all
    std::string result;
    for (const char c : cut(printable(text))) {
        if (as_entity.find(c) != std::string_view::npos) {
            result += fmt::format("&#{};", static_cast<int>(c));
            continue;
        }
        if (special.find(c) != std::string_view::npos) result += '\\';
        result += c;
    }
    return result;
}

std::string markdown_text(const std::vector<CheckedDump>& dumps) {
    std::string text;
    for (const CheckedDump& dump : dumps) text += dump_text(dump);
    return text;
}

}  // namespace memtrace::analyzer
