// SPDX-License-Identifier: Apache-2.0
//
// A baseline as a JSON file that people review: sorted, one line for each call site, no addresses,
// no absolute paths, and the same bytes whenever it is written from the same recordings. A figure
// is a number, or [least, most] where runs differ; zero is left out.
#pragma once

#include <string>

#include "analyzer/check/baseline.h"

namespace memtrace::analyzer {

inline constexpr uint64_t baseline_schema = 1;

std::string baseline_text(const Baseline& baseline);

// Throws Error if the file is missing, is none of ours, or is of a newer schema.
Baseline read_baseline(const std::string& path);
Baseline parse_baseline(const std::string& text, const std::string& path);

}  // namespace memtrace::analyzer
