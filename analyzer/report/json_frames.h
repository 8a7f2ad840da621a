// SPDX-License-Identifier: Apache-2.0
//
// JSON parts that several reports share, so that a frame has the same form everywhere.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

using Json = nlohmann::ordered_json;

// Returns valid UTF-8, although names come from binaries and may contain any bytes.
std::string json_text(const Json& json, int indent = -1);

Json frame_json(const Frame& frame);

// Returns those of a site's totals that can be added up.
Json sums_json(const Totals& totals);

}  // namespace memtrace::analyzer
