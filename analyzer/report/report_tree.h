// SPDX-License-Identifier: Apache-2.0
//
// `tree`: who called whom, from the start of each thread inwards.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

void write_tree(std::string& out, const Recording& recording, Measure measure,
                const TextOptions& options);

// A flat list, callers before their callees, which name them by id: nesting as deep as a stack is
// more than most readers of JSON bear. Everything is in it, whatever was left out of the text.
// As JSON. Of each space at most `calls_max` calls, the largest: a caller says how many of its
// callees, and how much of its total, are left out.
std::string tree_json(const Recording& recording, Measure measure, const TextOptions& options,
                      uint64_t calls_max);

}  // namespace memtrace::analyzer
