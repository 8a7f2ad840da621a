// SPDX-License-Identifier: Apache-2.0
//
// The time when a phase first began, the time when it last ended, and its total open time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/base/tick_clock.h"

namespace memtrace::analyzer {

class PhaseTime {
public:
    void begin(uint64_t time) {
        if (!is_begun_) first_ = time;
        is_begun_ = true;
        since_ = time;
    }
    void end(uint64_t time) {
        last_ = std::max(time, since_);  // The times in a damaged dump may be anything.
        open_ += last_ - since_;
    }

    uint64_t since() const { return since_; }  // in ticks
    uint64_t first_begin_ns(const TickClock& clock) const { return clock.ns(first_); }

    // Uses the average length of a tick between the first begin and the last end.
    uint64_t duration_ns(const TickClock& clock) const {
        if (open_ == 0) return 0;
        const auto whole = static_cast<double>(clock.ns(last_) - clock.ns(first_));
        const double part = static_cast<double>(open_) / static_cast<double>(last_ - first_);
        return static_cast<uint64_t>(whole * part + 0.5);
    }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.is_begun_, self.first_, self.since_, self.last_, self.open_);
    }

private:
    bool is_begun_ = false;
    uint64_t first_ = 0;
    uint64_t since_ = 0;
    uint64_t last_ = 0;
    uint64_t open_ = 0;
};

}  // namespace memtrace::analyzer
