// SPDX-License-Identifier: Apache-2.0
//
// Reports for people. Each function appends whole lines, fitted to `width` columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/base/terminal.h"
#include "analyzer/check/limit_check.h"
#include "analyzer/sites/recording.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

struct TextOptions {
    size_t width = 100;
    bool colour = false;
    size_t top = 10;         // call sites of a list
    size_t depth = 8;        // lines of a stack
    uint64_t min_value = 0;  // sites below are not shown
    double min_percent = 0;  // nor below so much of the space
    std::string space;       // empty: all
    bool all_frames = false;
    bool interpreter_frames = false;  // those that stack_view.h leaves out too

    bool shows(const Space& wanted) const { return space.empty() || space == wanted.name; }

    // The least value that is shown, of a whole.
    uint64_t least(uint64_t whole) const {
        const auto part = static_cast<uint64_t>(static_cast<double>(whole) * min_percent / 100);
        return min_value > part ? min_value : part;
    }
};

void write_summary(std::string& out, const Recording& recording, const TextOptions& options);
void write_leaks(std::string& out, const Recording& recording, const TextOptions& options);
void write_peak(std::string& out, const Recording& recording, const TextOptions& options);
void write_sites(std::string& out, const Recording& recording, Measure measure,
                 const TextOptions& options);
void write_info(std::string& out, const Recording& recording, const TextOptions& options);
void write_check(std::string& out, const Recording& recording, const CheckResult& result,
                 const TextOptions& options);

// ---- parts that several reports share ----------------------------------------------------------

void write_program(std::string& out, const Recording& recording, const TextOptions& options);
void write_foot(std::string& out, const Recording& recording, const TextOptions& options);
void write_site_list(std::string& out, const Recording& recording, const Space& space,
                     Measure measure, const TextOptions& options);

void write_peak_of(std::string& out, const Recording& recording, const Space& space,
                   const TextOptions& options);
void write_no_space(std::string& out, const Recording& recording, const TextOptions& options);
void write_title(std::string& out, const TextOptions& options, const std::string& title,
                 const std::string& rest);
const char* title_of(Measure measure);  // "by bytes held at the peak", ...

// Text in lines of at most `width` columns, further lines indented.
void write_wrapped(std::string& out, std::string_view text, size_t indent, size_t width);

}  // namespace memtrace::analyzer
