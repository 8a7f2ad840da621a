// SPDX-License-Identifier: Apache-2.0
//
// The report `sites`, and the lists of call sites that other reports contain.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

void write_sites(std::string& out, const Recording& recording, Measure measure,
                 const TextOptions& options);

// Returns true if a measure of the space is not known, and writes that sentence.
bool write_not_known(std::string& out, const Space& space, Measure measure,
                     const TextOptions& options);

// Writes the call sites of one space, the largest first, and their callers.
void write_site_list(std::string& out, const Recording& recording, const Space& space,
                     Measure measure, const TextOptions& options);

// Writes a call stack in the same layout, without numbers.
void write_one_stack(std::string& out, const Recording& recording, uint32_t stack,
                     const TextOptions& options);

}  // namespace memtrace::analyzer
