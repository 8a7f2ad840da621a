// SPDX-License-Identifier: Apache-2.0
//
// `memtrace-report phases`: what the program did when, by its own names, and what each part of it
// took and left.
#pragma once

#include <string>

#include "analyzer/sites/recording.h"
#include "analyzer/report/report_summary.h"

namespace memtrace::analyzer {

// The model has been loaded with the list of phases.
void write_phases(std::string& out, const Report& report, const TextOptions& options);

// "phases": […], a member of the document.
std::string phases_json(const Report& report);

}  // namespace memtrace::analyzer
