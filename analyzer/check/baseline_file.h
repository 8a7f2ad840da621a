// SPDX-License-Identifier: Apache-2.0
//
// A baseline as a JSON file that people review. It is sorted, has one line for each call site, and
// contains no addresses and no absolute paths. The same recordings always produce the same bytes.
// A figure is a number, or [least, most] if the runs differ. Figures of sites that are zero are
// left out.
#pragma once

#include <string>

#include "analyzer/check/baseline.h"

namespace memtrace::analyzer {

inline constexpr uint64_t baseline_schema = 1;

std::string baseline_text(const Baseline& baseline);

// Throws Error if the file is missing, is not a baseline, or has a newer schema.
Baseline read_baseline(const std::string& path);
Baseline parse_baseline(const std::string& text, const std::string& path);

}  // namespace memtrace::analyzer
