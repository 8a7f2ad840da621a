// SPDX-License-Identifier: Apache-2.0
//
// The report `phases`: what the program did at which time, by its own names, and the memory that
// each phase took and left.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// The model must have been loaded with the list of phases.
void write_phases(std::string& out, const Recording& recording, const TextOptions& options);

// Returns a member of the JSON document: "phases": […]
std::string phases_json(const Recording& recording);

}  // namespace memtrace::analyzer
