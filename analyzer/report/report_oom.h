// SPDX-License-Identifier: Apache-2.0
//
// The report `oom`: a request for GPU memory was refused. It contains the request and the holders
// of the device's memory at that time. The last refusal is reported in full, because it usually
// ended the program. The others form a list.
#pragma once

#include <string>

#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

// `all`: also lists the other refusals.
void write_oom(std::string& out, const Recording& recording, bool all, const TextOptions& options);

// Returns members of the JSON document: "refusals": […], "refusals_not_listed": 0, "holders": {…}
// or null.
std::string oom_json(const Recording& recording);

}  // namespace memtrace::analyzer
