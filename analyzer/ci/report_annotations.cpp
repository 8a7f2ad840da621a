// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ci/report_annotations.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/terminal.h"
#include "analyzer/base/utf8.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t kind_max = 10;  // most errors, and most warnings, that GitHub shows for a step

constexpr size_t bytes_max = 4000;  // of a text; GitHub shows no more

// What a log would obey is made harmless first, but for the ends of lines.
std::string escaped(std::string_view text, bool is_property) {
    std::string result;
    while (!text.empty()) {
        const std::string_view piece = text.substr(0, first_piece(text).bytes);
        text.remove_prefix(piece.size());
        const char c = piece.size() == 1 ? piece[0] : '\0';
        const bool special =
            c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','));
        if (special) result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        else result += printable(piece);
        if (result.size() > bytes_max) return result + "...";
    }
    return result;
}

std::string command(std::string_view kind, const std::string& file, uint32_t line,
                    const std::string& title, const std::string& message) {
    std::string properties;
    if (!file.empty()) properties += "file=" + escaped_property(file) + ",";
    if (!file.empty() && line != 0) properties += fmt::format("line={},", line);
    return fmt::format("::{} {}title={}::{}\n", kind, properties, escaped_property(title),
                       escaped_message(message));
}

// Returns the error commands: the worst site of each limit, then the second of each, and so on.
std::vector<std::string> errors_of(const CheckedDump& dump) {
    const CheckResult& check = dump.result;
    std::vector<std::string> commands;
    if (!dump.unread.empty()) commands.push_back(command("error", "", 0, "memtrace", dump.unread));
    for (const std::string& obstacle : check.obstacles) {
        commands.push_back(command("error", "", 0, "memtrace", obstacle));
    }
    bool more = true;
    for (size_t turn = 0; more; ++turn) {
        more = false;
        for (const LimitResult& result : check.limits) {
            const std::string title = "memtrace: " + title_of(result.limit);
            if (!result.passed && turn == 0 && result.blamed.empty()) {
                commands.push_back(command("error", "", 0, title, verdict_text(result)));
            }
            if (result.passed || turn >= result.blamed.size()) continue;
            more = true;
            const Blame& blame = result.blamed[turn];
            commands.push_back(
                command("error", blame.place.file, blame.place.line, title,
                        blame_sentence(result, blame) + "\n" + verdict_text(result)));
        }
    }
    return commands;
}

}  // namespace

std::string escaped_message(std::string_view text) { return escaped(text, false); }

std::string escaped_property(std::string_view text) { return escaped(text, true); }

std::string annotations_text(const std::vector<CheckedDump>& dumps) {
    std::vector<std::string> errors, warnings;
    for (const CheckedDump& dump : dumps) {
        const std::vector<std::string> found = errors_of(dump);
        errors.insert(errors.end(), found.begin(), found.end());
        for (const std::string& remark : dump.result.remarks) {
            warnings.push_back(command("warning", "", 0, "memtrace", remark));
        }
        for (const SuppressionRemark& remark : suppression_remarks(dump.result)) {
            warnings.push_back(
                command("warning", remark.file, remark.line, "memtrace: suppression", remark.text));
        }
    }
    std::string text;
    const auto add = [&](const std::vector<std::string>& commands, std::string_view what) {
        for (size_t i = 0; i < std::min(commands.size(), kind_max); ++i) text += commands[i];
        if (commands.size() <= kind_max) return;
        text += command("notice", "", 0, "memtrace",
                        fmt::format("{} {} more are in the log and in the other outputs of check",
                                    commands.size() - kind_max, what));
    };
    add(errors, "errors");
    add(warnings, "warnings");
    return text;
}

}  // namespace memtrace::analyzer
