// SPDX-License-Identifier: Apache-2.0
//
// Begins and ends the requested range while the replay passes its moments.
#pragma once

#include <cstdint>

#include "analyzer/phases/phase_observer.h"
#include "analyzer/phases/range_text.h"

namespace memtrace::analyzer {

class RangeCursor {
public:
    static constexpr uint64_t never = ~uint64_t{0};

    // `observer` must outlive this object. A range without a begin begins now, unless it has begun
    // already, as the observer knows.
    RangeCursor(const RangeMoments& moments, PhaseObserver& observer, bool has_begun = false);

    // Returns the time from which on come_to() must be called again.
    uint64_t next_time() const;
    // Call before each event from next_time() on, and with the time of a mark before before_mark().
    void come_to(uint64_t time);
    // Call before and after the Mark record of this number is handled.
    void before_mark(uint64_t number, uint64_t time);
    void after_mark(uint64_t number, uint64_t time);

private:
    enum class State : uint8_t { before, inside, after };

    struct End {
        std::optional<RangeMoment> moment;
        uint64_t events = 0;  // that have come at its time or later

        bool is_time() const { return moment && !moment->mark; }
        bool has_come(uint64_t time) const {
            if (time != moment->time) return time > moment->time;
            return events > moment->event.value_or(0);
        }
        bool is_mark(uint64_t number) const { return moment && moment->mark == number; }
    };
    void pass(uint64_t time);
    void begin(uint64_t time);
    void end(uint64_t time);

    End from_;
    End to_;
    PhaseObserver& observer_;
    State state_ = State::before;
};

}  // namespace memtrace::analyzer
