// SPDX-License-Identifier: Apache-2.0
//
// Pieces of JSON that several reports for programs share, so that a frame is the same everywhere.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

using Json = nlohmann::ordered_json;

// Names come from binaries and may be anything; the document is valid UTF-8 all the same.
std::string json_text(const Json& json, int indent = -1);

Json frame_json(const Frame& frame);

// What of a site's totals can be added up.
Json sums_json(const Totals& totals);

}  // namespace memtrace::analyzer
