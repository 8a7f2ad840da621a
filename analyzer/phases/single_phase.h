// SPDX-License-Identifier: Apache-2.0
//
// The recording as if it were one phase (`--phase NAME`). The phase is open while a range with a
// matching name is open, or at the moment of a matching mark. If several names match, it is open
// while any of their ranges is open.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "analyzer/phases/phase_names.h"
#include "analyzer/phases/phase_observer.h"
#include "analyzer/phases/phase_ranges.h"
#include "analyzer/phases/phase_sites.h"
#include "analyzer/phases/phase_time.h"

namespace memtrace::analyzer {

class SinglePhase final : public PhaseObserver {
public:
    explicit SinglePhase(std::string asked) : pattern_(std::move(asked)) {}

    SpaceObserver* observe(const std::string& space) override;
    void on(const Mark& mark, uint32_t thread) override;
    void end(uint64_t time) override;
    void finish(Model& model, const TickClock& clock, Problems& problems) override;

private:
    void open(uint64_t time);
    void close(uint64_t time);
    std::string unknown_phase() const;

    PhasePattern pattern_;
    PhaseRanges ranges_;
    PhaseTime time_;
    AskedPhase info_;
    uint64_t open_ = 0;  // number of open occurrences
    std::map<std::string, std::unique_ptr<PhaseSites>> spaces_;
    std::set<std::string> names_;  // names that did not match
};

}  // namespace memtrace::analyzer
