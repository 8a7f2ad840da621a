// SPDX-License-Identifier: Apache-2.0
//
// What `check` found, for programs: `checks`, one entry for each limit, and `check`, the rest.
#pragma once

#include "analyzer/check/limit_check.h"
#include "analyzer/report/json_frames.h"

namespace memtrace::analyzer {

void add_check(Json& document, const CheckResult& result);

}  // namespace memtrace::analyzer
