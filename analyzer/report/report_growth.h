// SPDX-License-Identifier: Apache-2.0
//
// The report `growth`: what grows during the run, why it is considered a leak or not, and when
// memory would run out.
#pragma once

#include <string>

#include "analyzer/growth/growth.h"
#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

void write_growth(std::string& out, const Recording& recording, const Growth& growth,
                  const TextOptions& options);

}  // namespace memtrace::analyzer
