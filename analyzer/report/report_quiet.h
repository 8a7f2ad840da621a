// SPDX-License-Identifier: Apache-2.0
//
// The last part of the report `growth`: what is large and no leak, so that a user who suspects a
// leak there sees why not.
#pragma once

#include <string>

#include "analyzer/growth/growth.h"
#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

// False if the finding is less than the user wants to see (--min).
bool is_enough(const Recording& recording, const GrowthFinding& finding,
               const TextOptions& options);

// Findings of one line of the user's own, with one reason, are one row. Appends nothing if there
// are none.
void write_quiet(std::string& out, const Recording& recording, const Growth& growth,
                 const TextOptions& options);

}  // namespace memtrace::analyzer
