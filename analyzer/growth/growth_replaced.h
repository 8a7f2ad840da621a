// SPDX-License-Identifier: Apache-2.0
//
// Growth whose blocks only took the place of blocks of other lines:
//
//   states[user] = load(user)      ▔▔╲__      300 blocks, made at the start
//   states[user] = update(m)       __╱▔▔      each update replaces one of them: 300 together,
//   always
//
//   item = items.pop()             ▔▔╲__      1,000 items, loaded at the start
//   results.append(work(item))     __╱▔▔      also 1,000 together, and it may be a leak
//
// In the first case more and more of the growing line's own blocks go as well, because they are
// replaced in their turn. In the second none do, and nobody can tell from here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/growth/growth_curve.h"
#include "analyzer/growth/growth_finding.h"
#include "analyzer/growth/growth_siblings.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// True if from the end of slice `since` on both together hold about the same all the time, compared
// with what the first one grew by.
bool are_at_rest_together(const Curve& growth, const Curve& others, size_t since);

// True if after that slice blocks of this curve go, and late ever more of them.
bool goes_ever_more(const Curve& growth, size_t since);

// Findings of such growth hold no more than a cache does, or are not sure.
void judge_replaced(std::vector<GrowthFinding>& findings, const SiblingPlaces& places);

// Judges growth anew that is known to be none of the program's: caches of libraries with a bound
// (known_bounded.h), and segments that PyTorch's caching allocator keeps for the next tensors. What
// is in use of these is judged in the space of the tensors, and whether more are needed is not
// sure.
void excuse(GrowthFinding& finding, const Recording& recording);

}  // namespace memtrace::analyzer
