// SPDX-License-Identifier: Apache-2.0
//
// Pieces of JSON that several reports for programs share, so that a frame is the same everywhere.
#pragma once

#include "analyzer/base/json_text.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

Json frame_json(const Frame& frame);

// What of a site's totals can be added up.
Json sums_json(const Totals& totals);

}  // namespace memtrace::analyzer
