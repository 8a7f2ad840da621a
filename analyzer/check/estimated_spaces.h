// SPDX-License-Identifier: Apache-2.0
//
// Spaces that a sample estimates (the options sample and max_dump, and the sample of Python's
// objects). Limits in bytes are judged on estimates, with room for their error. A comparison with a
// baseline, whose figures are exact, is not possible, and nothing of a sample tells which
// allocations were temporary. A limit that cannot be judged is never left out without a word: no
// check passes on the recording then.
#pragma once

#include <string>
#include <vector>

#include "analyzer/check/baseline.h"
#include "analyzer/check/limit.h"
#include "analyzer/check/measurements.h"

namespace memtrace::analyzer {

// True if every recording has all of the space, unless an option makes it a sample. The objects of
// Python are recorded in full only on request, so a baseline without them says nothing of them.
bool is_always_recorded(const std::string& space);

// Takes away the limits that cannot be judged because their space is estimated. Returns a sentence
// for each reason: which space, why, and what to do. `baseline` may be null.
std::vector<std::string> leave_out_estimates(const Measurements& measured, const Baseline* baseline,
                                             std::vector<Limit>& limits);

// Returns why no baseline can be made of the recording: a space that belongs in it, or that `old`
// has, is estimated. `old` may be null.
std::vector<std::string> not_for_a_baseline(const Measurements& measured, const Baseline* old);

}  // namespace memtrace::analyzer
