// SPDX-License-Identifier: Apache-2.0
//
// Sums of what processes held in the slices of their runs. They can be summed only if all processes
// did the same steps in the same slices, as the ranks of a training run do. Otherwise a merged
// profile has no histories, and says so.
#pragma once

#include "analyzer/model/site_history.h"

namespace memtrace::analyzer {

// True if the slices of two processes stand for the same steps.
bool are_alike(const RunSlices& a, const RunSlices& b);

// Adds the slices of a process that are alike. A slice ends when it ends in the last process.
void add(RunSlices& sum, const RunSlices& part);

// Adds a history that was cut into the same slices.
void add(SiteHistory& sum, const SiteHistory& part);

}  // namespace memtrace::analyzer
