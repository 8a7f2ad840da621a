// SPDX-License-Identifier: Apache-2.0
//
// `oom`: memory of a GPU was asked for and refused. What was asked, and who held the device then.
// The last refusal is told in full, because it mostly ended the program; the others are a list.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

// `all`: the list of the others, too.
void write_oom(std::string& out, const Recording& recording, bool all, const TextOptions& options);

// Members of the JSON document: "refusals": […], "refusals_not_listed": 0, "holders": {…} or null
std::string oom_json(const Recording& recording);

}  // namespace memtrace::analyzer
