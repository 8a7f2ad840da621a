// SPDX-License-Identifier: Apache-2.0
//
// The counts of all lanes' stack walks together. The shim writes the counts of each lane now and
// then; the last record of a lane holds its totals.
#pragma once

#include <cstdint>
#include <map>

#include "analyzer/model/model.h"
#include "analyzer/model/problems.h"
#include "memtrace/dump/records.h"

namespace memtrace::analyzer {

// Returns the sums over the last record of each lane. `time` and `of_lane` of the result are
// unused.
Walks sum_of(const std::map<uint64_t, Walks>& last_of_lanes);
PythonWalks sum_of(const std::map<uint64_t, PythonWalks>& last_of_lanes);

// Counts the stacks (Capture). Call when the model has its spaces and call stacks.
void count_captures(Model& model, Problems& problems);

}  // namespace memtrace::analyzer
