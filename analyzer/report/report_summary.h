// SPDX-License-Identifier: Apache-2.0
//
// The reports `summary` and `peak`. Each function appends whole lines, fitted to
// TextOptions::width columns.
#pragma once

#include <string>
#include <vector>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

// `tensors`: what the first screen says of tensors, one sentence for each space that has some.
void write_summary(std::string& out, const Recording& recording, const TextOptions& options,
                   const std::vector<std::string>& tensors = {});
// Returns what the figures of a sample of the heap are worth, as a sentence without a full stop;
// empty: there is no sample.
std::string sample_text(const Model& model);

void write_peak(std::string& out, const Recording& recording, const TextOptions& options);

// Writes the peak of one space and its sites.
void write_peak_of(std::string& out, const Recording& recording, const Space& space,
                   const TextOptions& options);

}  // namespace memtrace::analyzer
