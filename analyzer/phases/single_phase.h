// SPDX-License-Identifier: Apache-2.0
//
// The recording as if it were one phase (`--phase NAME`), one range (`--from A --to B`), or the
// part of a phase inside a range. The phase is open while a range with a matching name is open, or
// at the moment of a matching mark. If several names match, it is open while any of their ranges is
// open. A range without a phase is a phase that is open from the beginning of the range to its end.
// What a range without an end holds is what was held when the program's work ended, as in the whole
// recording: what an interpreter frees while it ends, was held.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "analyzer/phases/phase_names.h"
#include "analyzer/phases/phase_observer.h"
#include "analyzer/phases/phase_ranges.h"
#include "analyzer/phases/phase_sites.h"
#include "analyzer/phases/phase_time.h"
#include "analyzer/phases/range_time.h"

namespace memtrace::analyzer {

class SinglePhase final : public PhaseObserver {
public:
    explicit SinglePhase(const PhaseRequest& request)
        : pattern_(request.only),
          range_(request),
          is_all_(request.only.empty()),
          lasts_till_end_(is_all_ && request.to.empty()) {}

    void go_on_after(const PhasesBefore& before) override;
    // The range has begun at this time, with the first event. Call after observe().
    void go_on_from_start(
        uint64_t time,
        const std::function<void(const std::string& space, PhaseSites& sites)>& of_space);

    void listen(PhaseListener listener) override { listener_ = std::move(listener); }
    SpaceObserver* observe(const std::string& space) override;
    void on(const Mark& mark, uint32_t thread) override;
    void forget_thread(uint32_t thread) override { ranges_.forget_thread(thread); }
    void name_steps(const std::string& from, const std::string& to) override {
        range_.name_steps(from, to);
    }
    void begin_range(uint64_t time) override;
    void end_range(uint64_t time) override;
    void end(uint64_t time) override;
    void end_work() override;
    void finish(Model& model, const TickClock& clock, Problems& problems) override;

private:
    void open(uint64_t time);
    void close(uint64_t time);
    bool is_open() const { return range_.is_open() && (is_all_ || open_ != 0); }
    std::string why_none() const;

    PhaseListener listener_;
    PhasePattern pattern_;
    RangeTime range_;
    bool is_all_;  // The range is all that counts.
    bool lasts_till_end_;
    PhaseRanges ranges_;
    PhaseTime time_;
    AskedPhase info_;
    uint64_t open_ = 0;     // number of open occurrences, also outside the range
    uint64_t matched_ = 0;  // number of occurrences, also outside the range
    std::map<std::string, std::unique_ptr<PhaseSites>> spaces_;
    std::set<std::string> names_;  // names that did not match
};

}  // namespace memtrace::analyzer
