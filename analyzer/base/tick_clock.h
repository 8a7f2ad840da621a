// SPDX-License-Identifier: Apache-2.0
//
// Ticks to nanoseconds. Anchors (Clock records) name the same moment in ticks and nanoseconds;
// between two of them the relation is a straight line, and outside it goes on with the slope of
// the whole recording. With fewer than two anchors the header's estimate has to do.
#pragma once

#include <cstdint>
#include <vector>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class TickClock {
public:
    explicit TickClock(uint64_t ticks_per_second) : ticks_per_second_(ticks_per_second) {}

    void add_anchor(const Clock& record) { anchors_.push_back(record); }

    // To be called after the last anchor and before the first question.
    void settle();

    // Nanoseconds from tick 0 to this tick.
    uint64_t ns(uint64_t ticks) const;

    // CLOCK_REALTIME at tick 0; 0 if no anchor says so.
    uint64_t start_realtime_ns() const;

private:
    double monotonic_ns(uint64_t ticks) const;

    uint64_t ticks_per_second_;
    double ns_per_tick_ = 1;
    double start_ns_ = 0;  // CLOCK_MONOTONIC at tick 0, from the first anchor on
    std::vector<Clock> anchors_;
};

}  // namespace memtrace::analyzer
