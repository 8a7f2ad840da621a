// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ci/report_junit.h"

#include <fmt/format.h>

#include "analyzer/base/utf8.h"

namespace memtrace::analyzer {

namespace {

std::string attribute(std::string_view name, std::string_view value) {
    return fmt::format(" {}=\"{}\"", name, xml_escaped(value));
}

// Returns the details of a broken limit: each blamed site, and its place on a second line.
std::string failure_lines(const LimitResult& result) {
    std::string text;
    for (const Blame& blame : result.blamed) {
        text += blame_sentence(result, blame);
        if (!blame.place.file.empty()) text += "\n    at " + text_of(blame.place);
        text += "\n";
    }
    if (result.blamed_more != 0) text += fmt::format("and {} more\n", result.blamed_more);
    return text;
}

std::string limit_case(const std::string& program, const LimitResult& result) {
    std::string text = "    <testcase" + attribute("classname", "memtrace." + program) +
                       attribute("name", title_of(result.limit));
    if (!result.blamed.empty() && !result.blamed[0].place.file.empty()) {
        text += attribute("file", result.blamed[0].place.file) +
                attribute("line", std::to_string(result.blamed[0].place.line));
    }
    if (result.is_open) {
        return text +
               ">\n      <skipped message=\"The limit holds in what was recorded, and the "
               "recording is incomplete.\"/>\n    </testcase>\n";
    }
    if (result.passed) return text + "/>\n";
    return text + ">\n      <failure" + attribute("type", row_of(result.limit.metric).name) +
           attribute("message", verdict_text(result)) + ">" + xml_escaped(failure_lines(result)) +
           "</failure>\n    </testcase>\n";
}

std::string recording_case(const CheckedDump& dump) {
    std::string text = "    <testcase" + attribute("classname", "memtrace." + name_of(dump)) +
                       attribute("name", "the recording can be judged");
    std::vector<std::string> obstacles = dump.result.obstacles;
    if (!dump.unread.empty()) obstacles = {dump.unread};
    if (obstacles.empty()) return text + "/>\n";
    std::string lines;
    for (const std::string& obstacle : obstacles) lines += obstacle + "\n";
    return text + ">\n      <error" +
           attribute("type", dump.unread.empty() ? "recording" : "unread dump") +
           attribute("message", obstacles[0]) + ">" + xml_escaped(lines) +
           "</error>\n    </testcase>\n";
}

std::string notes_of(const CheckResult& result) {
    std::string text;
    const std::string suppressed = suppressed_text(result);
    if (!suppressed.empty()) text += suppressed + "\n";
    for (const std::string& remark : result.remarks) text += remark + "\n";
    for (const SuppressionRemark& remark : suppression_remarks(result)) {
        text += fmt::format("{}:{}: {}\n", remark.file, remark.line, remark.text);
    }
    return text.empty() ? "" : "    <system-out>" + xml_escaped(text) + "</system-out>\n";
}

size_t failures_of(const CheckResult& result) {
    size_t count = 0;
    for (const LimitResult& limit : result.limits) count += limit.passed ? 0 : 1;
    return count;
}

size_t open_of(const CheckResult& result) {
    size_t count = 0;
    for (const LimitResult& limit : result.limits) count += limit.is_open ? 1 : 0;
    return count;
}

}  // namespace

namespace {

// U+FFFE and U+FFFF.
bool is_no_xml(std::string_view character) {
    return character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf";
}

}  // namespace

std::string xml_escaped(std::string_view text) {
    const std::string clean = valid_utf8(text);
    std::string result;
    for (size_t i = 0; i < clean.size();) {
        const std::string_view rest = std::string_view(clean).substr(i);
        const std::string_view character = rest.substr(0, first_piece(rest).bytes);
        const char c = character.size() == 1 ? character[0] : '\0';
        i += character.size();
        if (c == '&') result += "&amp;";
        else if (c == '<') result += "&lt;";
        else if (c == '>') result += "&gt;";
        else if (c == '"') result += "&quot;";
        else if (c == '\n') result += "&#10;";
        else if (c == '\t') result += "&#9;";
        else if (is_control_character(character) || is_no_xml(character)) {
            result += replacement_character;
        } else {
            result += character;
        }
    }
    return result;
}

std::string junit_text(const std::vector<CheckedDump>& dumps) {
    std::string suites;
    size_t tests = 0, failures = 0, errors = 0, skipped = 0;
    for (const CheckedDump& dump : dumps) {
        const CheckResult& result = dump.result;
        const size_t failed = failures_of(result);
        const size_t broken = result.obstacles.empty() && dump.unread.empty() ? 0 : 1;
        const size_t open = open_of(result);
        suites += fmt::format(
            "  <testsuite{} tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
            attribute("name", "memtrace " + name_of(dump)), result.limits.size() + 1, failed,
            broken, open);
        suites += recording_case(dump);
        for (const LimitResult& limit : result.limits) {
            suites += limit_case(result.measured.program, limit);
        }
        suites += notes_of(result) + "  </testsuite>\n";
        tests += result.limits.size() + 1;
        failures += failed;
        errors += broken;
        skipped += open;
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"memtrace\" tests=\"{}\" failures=\"{}\" "
        "errors=\"{}\" skipped=\"{}\">\n{}</testsuites>\n",
        tests, failures, errors, skipped, suites);
}

}  // namespace memtrace::analyzer
