// SPDX-License-Identifier: Apache-2.0
//
// Converts ticks to nanoseconds. Anchors (Clock records) give the same moment in ticks and in
// nanoseconds. Between two anchors the relation is a straight line. Before the first and after the
// last anchor it continues with the slope of the whole recording. With fewer than two anchors the
// estimate in the header is used.
#pragma once

#include <cstdint>
#include <vector>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class TickClock {
public:
    explicit TickClock(uint64_t ticks_per_second) : ticks_per_second_(ticks_per_second) {}

    void add_anchor(const Clock& record) { anchors_.push_back(record); }

    // Those that were added, until settle() puts them in order.
    const std::vector<Clock>& anchors() const { return anchors_; }

    // Must be called after the last anchor and before the first conversion.
    void settle();

    // Returns the nanoseconds from tick 0 to this tick.
    uint64_t ns(uint64_t ticks) const;

    // Returns the first tick whose ns() is `time_ns` or later.
    uint64_t first_tick_at(uint64_t time_ns) const;

    // Returns CLOCK_REALTIME at tick 0, or 0 if no anchor contains it.
    uint64_t start_realtime_ns() const;

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.ticks_per_second_, self.ns_per_tick_, self.start_ns_, self.anchors_);
    }

private:
    double monotonic_ns(uint64_t ticks) const;

    uint64_t ticks_per_second_;
    double ns_per_tick_ = 1;
    double start_ns_ = 0;  // CLOCK_MONOTONIC at tick 0, relative to the first anchor
    std::vector<Clock> anchors_;
};

}  // namespace memtrace::analyzer
