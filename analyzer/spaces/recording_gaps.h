// SPDX-License-Identifier: Apache-2.0
//
// The times that were not recorded although the program ran (RecordingSwitch).
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/model.h"
#include "analyzer/model/problems.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

class RecordingGaps {
public:
    // Returns false if the record changes nothing: several threads may write that they switch.
    bool take(const RecordingSwitch& record) {
        const bool goes_off = record.state == SwitchState::off;
        if (goes_off == is_off()) return false;
        if (goes_off) gaps_.push_back({record.time, never});
        else gaps_.back().end = record.time;
        return true;
    }

    bool any() const { return !gaps_.empty(); }
    // True if it was switched off after it had begun.
    bool has_pause() const { return gaps_.size() > 1 || (any() && gaps_[0].begin != 0); }
    bool is_off() const { return !gaps_.empty() && gaps_.back().end == never; }

    // True if nothing was ever recorded.
    bool is_off_from_start() const { return is_off() && gaps_.size() == 1 && gaps_[0].begin == 0; }
    // When it was switched off for good, in ticks. Only if is_off().
    uint64_t off_since() const { return gaps_.back().begin; }

    std::vector<RecordingGap> in_nanoseconds(const TickClock& clock) const {
        std::vector<RecordingGap> gaps;
        for (const Gap& gap : gaps_) {
            // The first may begin with the process, and has no time.
            RecordingGap& added = gaps.emplace_back();
            if (gap.begin != 0) added.begin_ns = clock.ns(gap.begin);
            if (gap.end != never) added.end_ns = clock.ns(gap.end);
        }
        return gaps;
    }

    // archive.h
    static void state(auto& self, auto& each) { each(self.gaps_); }

private:
    static constexpr uint64_t never = ~uint64_t{0};
    struct Gap {
        uint64_t begin, end;  // ticks
    };

    std::vector<Gap> gaps_;
};

inline void remark_on_gaps(const RecordingGaps& gaps, Problems& problems) {
    if (!gaps.any() || gaps.is_off_from_start()) return;
    problems.remark("recording",
                    "It was off while the program ran: the host's ledger needs every block, and is "
                    "left out.");
}

}  // namespace memtrace::analyzer
