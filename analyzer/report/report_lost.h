// SPDX-License-Identifier: Apache-2.0
//
// What searches for lost blocks have found: blocks by what points to them, in memcheck's words.
#pragma once

#include <string>

#include "analyzer/base/json_text.h"
#include "analyzer/report/report_parts.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Writes how many blocks are lost, and where they were acquired. Without a search it writes
// nothing.
void write_lost(std::string& out, const Recording& recording, const TextOptions& options);

// The same in a line or two, for the summary.
void write_lost_in_summary(std::string& out, const Recording& recording,
                           const TextOptions& options);

// {"searches": [...], "definitely": {"blocks", "bytes"}, ...}; null if nothing was searched.
Json lost_json(const Model& model);

}  // namespace memtrace::analyzer
