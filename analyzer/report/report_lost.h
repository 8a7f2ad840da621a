// SPDX-License-Identifier: Apache-2.0
//
// What searches for lost blocks have found: blocks by what points to them, in memcheck's words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/base/json_text.h"
#include "analyzer/model/measure.h"
#include "analyzer/report/report_parts.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// What the last search that was done has found.
struct LostFigures {
    struct Row {
        Measure measure;
        const char* name;     // "definitely lost"
        const char* meaning;  // "nothing points to them"
        uint64_t blocks = 0;
        uint64_t bytes = 0;
    };
    std::vector<Row> kinds;
    // What was searched, is alive at the end, and is not lost.
    uint64_t reachable_blocks = 0;
    uint64_t reachable_bytes = 0;
    // Acquired after the search.
    uint64_t later_blocks = 0;
    uint64_t later_bytes = 0;
    std::string text;  // sentences about the search: when, how long, how sure
};
// Nothing if there was none, or if the model has a part of the run only.
std::optional<LostFigures> lost_figures(const Model& model);

// Why there is nothing newer than that: a sentence, or "".
std::string why_not_searched(const Model& model);
// What to say where nobody asked for a search.
extern const char* const no_search_requested;

// Writes how many blocks are lost, and where they were acquired. Without a search it writes why, or
// nothing if nobody asked.
void write_lost(std::string& out, const Recording& recording, const TextOptions& options);

// The same in a line or two, for the summary.
void write_lost_in_summary(std::string& out, const Recording& recording,
                           const TextOptions& options);

// {"searches": [...], "definitely": {"blocks", "bytes"}, ...}; null if nothing was searched.
Json lost_json(const Model& model);

}  // namespace memtrace::analyzer
