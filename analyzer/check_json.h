// SPDX-License-Identifier: Apache-2.0
//
// What `check` found, for programs: `checks`, one entry for each limit, and `check`, the rest.
#pragma once

#include "analyzer/gate.h"
#include "analyzer/json_parts.h"

namespace memtrace::analyzer {

void add_check(Json& document, const CheckResult& result);

}  // namespace memtrace::analyzer
