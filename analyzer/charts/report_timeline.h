// SPDX-License-Identifier: Apache-2.0
//
// The report `timeline`: memory over time as plots that fit into the terminal, one below the other
// on one axis of time, with steps, phases and marks below.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// TextOptions::top limits the curves, and the phases.
void write_timeline(std::string& out, const Recording& recording, const TextOptions& options,
                    bool utf8);

// Returns a member of a JSON object, without its brackets: all slices of all curves.
std::string timeline_json(const Recording& recording, const TextOptions& options);

}  // namespace memtrace::analyzer
