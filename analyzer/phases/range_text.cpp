// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/range_text.h"

#include <charconv>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {

RangeText parse_range_text(const std::string& option, const std::string& text) {
    if (const auto time = parse_time(text)) return RangeAtTime{*time};
    const bool is_step = text.starts_with("step ") || text.starts_with("step:");
    if (!is_step) return RangeAtPhase{PhasePattern(text)};
    const char* const begin = text.data() + 5;
    const char* const end = text.data() + text.size();
    uint64_t number = 0;
    const auto [rest, error] = std::from_chars(begin, end, number);
    const bool is_number = error == std::errc() && rest == end;
    if (is_number && number > 0) return RangeAtStep{number};
    // "step #" and "step *" are names of phases.
    if (!is_number && begin != end) return RangeAtPhase{PhasePattern(text)};
    throw Error(
        fmt::format("{} {}: steps are counted from 1, like \"step 12\"", option, printable(text)));
}

std::optional<std::pair<std::string, std::string>> split_steps(const std::string& text) {
    const bool is_step = text.starts_with("step ") || text.starts_with("step:");
    const size_t dots = text.find("..");
    if (!is_step || dots == std::string::npos) return std::nullopt;
    const std::string word = text.substr(0, 5);
    const std::string first = text.substr(5, dots - 5), last = text.substr(dots + 2);
    const auto is_number = [](const std::string& number) {
        return !number.empty() && number.find_first_not_of("0123456789") == std::string::npos;
    };
    if (!is_number(first) || !is_number(last)) return std::nullopt;
    return std::pair(word + first, word + last);
}

}  // namespace memtrace::analyzer
