// SPDX-License-Identifier: Apache-2.0
//
// The type of all JSON documents, and their conversion to text.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace memtrace::analyzer {

using Json = nlohmann::ordered_json;  // Members keep the order in which they were added.

// Returns the document as valid UTF-8. Names come from binaries and may hold any bytes: U+FFFD
// replaces what is not UTF-8, and what a terminal would obey is escaped (utf8.h). Without `indent`
// the text is one line.
std::string json_text(const Json& json, int indent = -1);

}  // namespace memtrace::analyzer
