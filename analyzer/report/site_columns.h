// SPDX-License-Identifier: Apache-2.0
//
// What lists and trees of call sites have in common: numbers on the left, a place on the right.
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
    static constexpr size_t width = 34;  // up to where the place begins

    // Numbers that are estimates are marked as such.
    NumberColumns(Measure measure, uint64_t whole, const Style& style, bool is_estimate)
        : measure_(measure), whole_(whole), style_(style), sign_(is_estimate ? "~" : "") {}

    std::string header(const std::string& place_title) const;  // a whole line
    std::string row(const Totals& totals) const;               // the beginning of one

private:
    Measure measure_;
    uint64_t whole_;
    Style style_;
    std::string sign_;
};

// The last two parts of a path: enough to recognise a file, short enough for a line.
std::string short_path(const std::string& path);

// "function  file:line", or "file:line function" of Python, in about `room` columns, of which
// `suffix` behind it takes its part.
std::string place_text(const Frame& frame, size_t room, const std::string& suffix,
                       const Style& style, bool strong);

}  // namespace memtrace::analyzer
