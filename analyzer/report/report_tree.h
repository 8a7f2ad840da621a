// SPDX-License-Identifier: Apache-2.0
//
// The report `tree`: the call tree, from the start of each thread inwards.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

void write_tree(std::string& out, const Recording& recording, Measure measure,
                const TextOptions& options);

// Returns the tree as JSON: a flat list, callers before their callees, which name their caller by
// id. Nesting as deep as a stack would be too deep for most readers of JSON. The limits of the
// text do not apply. At most `calls_max` calls of each space are listed, the largest. A caller
// states how many of its callees, and how much of its total, are left out.
std::string tree_json(const Recording& recording, Measure measure, const TextOptions& options,
                      uint64_t calls_max);

}  // namespace memtrace::analyzer
