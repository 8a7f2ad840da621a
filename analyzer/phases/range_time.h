// SPDX-License-Identifier: Apache-2.0
//
// The range that counts (`--from A --to B`) while the replay goes on: if it is open now, and its
// times in the end. Without a request everything counts.
#pragma once

#include <cstdint>
#include <optional>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/phase_model.h"
#include "analyzer/phases/phase_observer.h"

namespace memtrace::analyzer {

class RangeTime {
public:
    explicit RangeTime(const PhaseRequest& request) : is_open_(!request.has_range()) {
        if (request.has_range()) range_ = AskedRange{request.from, request.to, 0, 0};
    }

    // AskedRange::from_step, to_step.
    void name_steps(const std::string& from, const std::string& to) {
        if (!range_) return;
        range_->from_step = from;
        range_->to_step = to;
    }
    void begin(uint64_t time) {
        begin_ = time;
        is_open_ = true;
    }
    void end(uint64_t time) {
        end_ = time;
        is_open_ = false;
    }
    bool is_open() const { return is_open_; }

    // Returns nothing if no range was requested.
    std::optional<AskedRange> finish(const TickClock& clock) const {
        std::optional<AskedRange> range = range_;
        if (range) range->begin_ns = clock.ns(begin_);
        if (range) range->end_ns = clock.ns(end_);
        return range;
    }

private:
    std::optional<AskedRange> range_;
    bool is_open_;
    uint64_t begin_ = 0;
    uint64_t end_ = 0;
};

}  // namespace memtrace::analyzer
