// SPDX-License-Identifier: Apache-2.0
//
// The call sites and the user's own lines of a JSON report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "analyzer/base/json_text.h"
#include "analyzer/sites/own_lines.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct JsonSiteOptions {
    uint64_t frames_max = 0;          // approximate limit per space: see site_list.h
    bool interpreter_frames = false;  // also the frames that stack_view.h leaves out
};

// Writes the sites of all spaces for which is_listed(totals) returns true, as elements of a list.
void write_json_sites(const Recording& recording,
                      const std::function<bool(const Totals&)>& is_listed,
                      const std::function<void(std::string_view)>& write,
                      const JsonSiteOptions& options);

// Returns a row as JSON: "kind" (own, backward, import or library), "file", "line", "function",
// "module" and "package".
Json own_row_json(const Symbols& symbols, const OwnRow& row);

// Returns a member of a JSON object, without its brackets: the rows of all spaces.
std::string own_lines_json(const Recording& recording);

}  // namespace memtrace::analyzer
