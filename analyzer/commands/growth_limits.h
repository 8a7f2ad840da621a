// SPDX-License-Identifier: Apache-2.0
//
// Limits on growth, where nobody can tell that they hold: the run was not judged, it has no steps,
// or something grows of which it is not sure that it goes on.
#pragma once

#include "analyzer/check/limit_check.h"
#include "analyzer/growth/growth.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Removes the limits on growth that passed for want of knowing, and adds obstacles that say why. A
// limit that leaks alone exceed stays, and so does one that is kept whatever comes of the rest.
void leave_out_unknown_growth(const Recording& recording, const Growth& growth,
                              CheckResult& result);

}  // namespace memtrace::analyzer
