// SPDX-License-Identifier: Apache-2.0
//
// `growth`: what grows while the program runs, why it is believed to be a leak or not, and when
// memory would run out.
#pragma once

#include <string>

#include "analyzer/growth/growth.h"
#include "analyzer/report/report_parts.h"

namespace memtrace::analyzer {

void write_growth(std::string& out, const Recording& recording, const Growth& growth,
                  const TextOptions& options);

// A member of the JSON document: "growth": {…}
std::string growth_json(const Recording& recording, const Growth& growth);

}  // namespace memtrace::analyzer
