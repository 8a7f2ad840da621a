// SPDX-License-Identifier: Apache-2.0
//
// What `growth` found, as a member of the JSON document.
#pragma once

#include <string>

#include "analyzer/growth/growth.h"

namespace memtrace::analyzer {

// Returns "growth": {…}
std::string growth_json(const Recording& recording, const Growth& growth);

}  // namespace memtrace::analyzer
