// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/json_text.h"

namespace memtrace::analyzer {

std::string json_text(const Json& json, int indent) {
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace memtrace::analyzer
