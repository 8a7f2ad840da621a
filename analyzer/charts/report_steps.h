// SPDX-License-Identifier: Apache-2.0
//
// The report `steps`: the loops of the program, how often they went round, and which of them are
// the program's steps.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

void write_steps(std::string& out, const Recording& recording, const TextOptions& options);

// Returns the member "steps" of the JSON document.
std::string steps_json(const Recording& recording);

// Returns "150 steps of train.py:88, 66 ms each", or nothing if none were found.
std::string steps_line(const Recording& recording);

}  // namespace memtrace::analyzer
