// SPDX-License-Identifier: Apache-2.0
//
// The findings of `check`, for programs: `checks` has one entry for each limit, and `check` the
// rest.
#pragma once

#include <string>

#include "analyzer/check/limit_check.h"

namespace memtrace::analyzer {

// Returns both as members of a document: text for JsonOptions::more.
std::string check_json(const CheckResult& result);

}  // namespace memtrace::analyzer
