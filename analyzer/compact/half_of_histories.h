// SPDX-License-Identifier: Apache-2.0
//
// The middle of a recording, after the fact. Whoever compacts a dump that is still written does not
// know where its middle will be, so nothing was kept there. What call sites held is known at the
// end of each slice, and one of these is near the middle.
#pragma once

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// Sets ProcessInfo::half_ns and Totals::half_bytes if the replay did not: the middle is then the
// end of the slice that is nearest to it. Does nothing if the run has no slices.
void take_half_from_histories(Model& model);

}  // namespace memtrace::analyzer
