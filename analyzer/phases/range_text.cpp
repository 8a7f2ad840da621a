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

}  // namespace memtrace::analyzer
