// SPDX-License-Identifier: Apache-2.0
//
// Limits on lost blocks, where no search can tell that they hold: none was done, the last one
// failed, the one at the end of the work never came, or too much was acquired after it.
#pragma once

#include "analyzer/check/limit_check.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Removes the limits on lost blocks that passed for want of knowing, and adds an obstacle that says
// why. A limit that is exceeded stays: what is found lost is lost.
void leave_out_unknown_lost(const Recording& recording, CheckResult& result);

}  // namespace memtrace::analyzer
