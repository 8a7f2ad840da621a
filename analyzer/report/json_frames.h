// SPDX-License-Identifier: Apache-2.0
//
// JSON parts that several reports share, so that a frame has the same form everywhere.
#pragma once

#include "analyzer/base/json_text.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

Json frame_json(const Frame& frame);

// Returns those of a site's totals that can be added up.
Json sums_json(const Totals& totals);

}  // namespace memtrace::analyzer
