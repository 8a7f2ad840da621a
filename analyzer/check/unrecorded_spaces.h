// SPDX-License-Identifier: Apache-2.0
//
// Spaces of which nothing is known, because an option, or the age of the recording's version,
// left them out: memory of GPUs, and objects of Python. Such a space holds nothing in the
// recording, and would keep every limit.
#pragma once

#include <string>
#include <vector>

#include "analyzer/check/limit.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Takes away the limits that cannot be judged because their space was not recorded. Returns a
// sentence for each such space: why, and what to do.
std::vector<std::string> leave_out_unrecorded(const Recording& recording,
                                              std::vector<Limit>& limits);

}  // namespace memtrace::analyzer
