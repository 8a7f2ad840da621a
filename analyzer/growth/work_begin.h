// SPDX-License-Identifier: Apache-2.0
//
// The slice of the run in which a Python program's own work begins. Imports make most events of a
// short run, so growth that began with the work would look as if it began near the end:
//
//   slices     0          20         40         60         80         100
//   imports    ▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▆▁
//   the work                  ▁                                ▃▃▃▃▃▃▃▃▃
//                                                              ↑ begins here
//
// An acquisition belongs to an import if its stack is inside Python's import machinery without a
// line of the user's own code inside that again. Stacks with neither (the interpreter's start, the
// threads of libraries) belong to both sides, and count for none.
#pragma once

#include <cstddef>

#include "analyzer/growth/growth_curves.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Returns the number of slices before the work, such that at least `rest_min` slices are left; 0 if
// imports are not most of what is before it.
size_t slices_before_work(const Recording& recording, size_t rest_min);

// Returns curves in which these slices are one, unless fewer than `rest_min` would be left in which
// something happened. A run that is cut by steps keeps its slices.
GrowthCurves curves_of_work(const Recording& recording, size_t rest_min);

}  // namespace memtrace::analyzer
