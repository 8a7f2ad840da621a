// SPDX-License-Identifier: Apache-2.0
//
// The common layout of lists and trees of call sites: numbers on the left, a place on the right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "analyzer/base/terminal.h"
#include "analyzer/model/measure.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

inline constexpr const char* no_stack_text = "[no stack was recorded]";

// The numbers of a line: value, share and count.
class NumberColumns {
public:
    static constexpr size_t width = 34;  // the column where the place begins

    // Numbers that are estimates are marked with "~".
    NumberColumns(Measure measure, uint64_t whole, const Style& style, bool is_estimate)
        : measure_(measure), whole_(whole), style_(style), sign_(is_estimate ? "~" : "") {}

    std::string header(const std::string& place_title) const;  // a whole line
    std::string row(const Totals& totals) const;               // the beginning of a line

private:
    Measure measure_;
    uint64_t whole_;
    Style style_;
    std::string sign_;
};

// Returns the last two parts of a path: enough to recognise a file, and short enough for a line.
std::string short_path(const std::string& path);

// Returns "function  file:line", or "file:line function" for Python, in about `room` columns.
// `suffix` follows it and is included in these columns.
std::string place_text(const Frame& frame, size_t room, const std::string& suffix,
                       const Style& style, bool strong);

}  // namespace memtrace::analyzer
