// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/walk_sums.h"

namespace memtrace::analyzer {

Walks sum_of(const std::map<uint64_t, Walks>& last_of_lanes) {
    Walks sum;
    for (const auto& [lane, walks] : last_of_lanes) {
        sum.walked += walks.walked;
        sum.verified += walks.verified;
        sum.splices += walks.splices;
        sum.mismatches += walks.mismatches;
        sum.bridged += walks.bridged;
        sum.guessed += walks.guessed;
        sum.recognised += walks.recognised;
    }
    return sum;
}

PythonWalks sum_of(const std::map<uint64_t, PythonWalks>& last_of_lanes) {
    PythonWalks sum;
    for (const auto& [lane, walks] : last_of_lanes) {
        sum.stacks += walks.stacks;
        sum.empty += walks.empty;
        sum.foreign += walks.foreign;
        sum.unread += walks.unread;
        sum.frames += walks.frames;
        sum.kept += walks.kept;
    }
    return sum;
}

}  // namespace memtrace::analyzer
