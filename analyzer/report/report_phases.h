// SPDX-License-Identifier: Apache-2.0
//
// `memtrace-report phases`: what the program did when, by its own names, and what each part of it
// took and left.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// The model has been loaded with the list of phases.
void write_phases(std::string& out, const Recording& recording, const TextOptions& options);

// "phases": […], a member of the document.
std::string phases_json(const Recording& recording);

}  // namespace memtrace::analyzer
