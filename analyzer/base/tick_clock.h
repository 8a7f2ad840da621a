// SPDX-License-Identifier: Apache-2.0
//
// Converts ticks to nanoseconds. Anchors (Clock records) give the same moment in ticks and in
// nanoseconds. Between two anchors the relation is a straight line. Before the first and after the
// last anchor it continues with the slope of the whole recording. With fewer than two anchors the
// estimate in the header is used.
//
// There is an anchor for each sample of the resident set, and a program may run for weeks. Of too
// many every second one goes: ticks are so even that a line over some minutes is as good.
#pragma once

#include <cstdint>
#include <vector>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class TickClock {
public:
    explicit TickClock(uint64_t ticks_per_second) : ticks_per_second_(ticks_per_second) {}

    static constexpr size_t anchors_max = 8192;

    void add_anchor(const Clock& record) {
        if (anchors_.size() >= anchors_max) thin_out();
        anchors_.push_back(record);
    }

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
    void thin_out();
    double monotonic_ns(uint64_t ticks) const;

    uint64_t ticks_per_second_;
    double ns_per_tick_ = 1;
    double start_ns_ = 0;  // CLOCK_MONOTONIC at tick 0, relative to the first anchor
    std::vector<Clock> anchors_;
};

}  // namespace memtrace::analyzer
