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

    // `observer` must outlive this object. A range without a begin begins now.
    RangeCursor(const RangeMoments& moments, PhaseObserver& observer);

    // Returns the time from which on come_to() must be called again.
    uint64_t next_time() const;
    // Call before the events at this time, and with the time of a mark before before_mark().
    void come_to(uint64_t time);
    // Call before and after the Mark record of this number is handled.
    void before_mark(uint64_t number, uint64_t time);
    void after_mark(uint64_t number, uint64_t time);

private:
    enum class State : uint8_t { before, inside, after };

    static bool is_time(const std::optional<RangeMoment>& moment) {
        return moment && !moment->mark;
    }
    void begin(uint64_t time);
    void end(uint64_t time);

    RangeMoments moments_;
    PhaseObserver& observer_;
    State state_ = State::before;
};

}  // namespace memtrace::analyzer
