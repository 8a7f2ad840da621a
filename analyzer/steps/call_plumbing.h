// SPDX-License-Identifier: Apache-2.0
//
// Functions between a call and the function that is called, or the allocator. Each does its work
// once for each call, so stacks that part below it part because the call was made again.
#pragma once

#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

bool is_call_plumbing(const Frame& frame);

}  // namespace memtrace::analyzer
