// SPDX-License-Identifier: Apache-2.0
//
// Merges the profiles of several processes into one, with the same bytes in whatever order and
// groups they are merged:
//
//   merge(a, b, c) = merge(c, merge(b, a))          merge(a) = a
//
// Sites with equal named stacks become one, although their addresses differ. Counts are sums. A
// peak is the sum of the processes' peaks, which is an upper bound, because they peak at different
// times. `Recording::merged` lists the processes with their own peaks, and the number of everything
// that has no meaning for several processes and was left out.
//
// The result is in canonical order: frames, places and spaces sorted by content, stacks depth
// first. A profile of one process keeps the order of its recording.
#pragma once

#include <memory>
#include <span>

#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

class ProfileMerge {
public:
    ProfileMerge();
    ~ProfileMerge();

    void add(const Recording& part);

    // Returns the merged recording. Call once, after at least one add().
    Recording finish();

private:
    class Sums;

    std::unique_ptr<Recording> first_;  // while it is the only one
    std::unique_ptr<Sums> sums_;        // of at least two
};

Recording merge(std::span<const Recording> parts);

}  // namespace memtrace::analyzer
