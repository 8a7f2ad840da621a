// SPDX-License-Identifier: Apache-2.0
//
// Sums of what processes held in the slices of their runs. They can be summed only if all processes
// did the same steps in the same slices, as the ranks of a training run do. Otherwise a merged
// profile has no histories, and says so.
#pragma once

#include "analyzer/model/model.h"
#include "analyzer/model/site_history.h"

namespace memtrace::analyzer {

// Leaves out the slices after those that are judged, and what happened in them.
void leave_out_rest(RunSlices& slices);
void leave_out_rest(Model& model);

// True if the judged slices of two processes stand for the same steps.
bool are_alike(const RunSlices& a, const RunSlices& b);

// Adds the judged slices of a process that are alike. A slice ends when it ends in the last
// process.
void add(RunSlices& sum, const RunSlices& part);

// Adds the first slices of a history that was cut into the same ones.
void add(SiteHistory& sum, SiteHistory part, size_t slices);

}  // namespace memtrace::analyzer
