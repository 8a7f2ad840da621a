// SPDX-License-Identifier: Apache-2.0
//
// One space as if the recording were one phase of it: its call sites with what they did while the
// phase was open, what they held at the phase's peak (all of it, also what was there before), and
// what they acquired in it that was still alive when it ended.
//
// Nothing is copied when the phase begins or ends. As in peak_tracker.h, moments are numbered, and
// a site looks before it changes whether there has been one since it last looked. Sums over sites
// equal the space's, as model.h promises; but allocations - frees are not what is left, because a
// phase also frees what was there before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/spaces/space_observer.h"

namespace memtrace::analyzer {

class PhaseSites final : public SpaceObserver {
public:
    void open(uint64_t time);
    void close();

    void finish(Space& space, const std::vector<std::string>& labels, uint64_t& peak_time) override;

private:
    struct Tally {
        Totals totals;             // of the phase; live_* is what it left
        uint64_t live_blocks = 0;  // now, whoever acquired them
        uint64_t live_bytes = 0;
        uint64_t fresh_blocks = 0;  // of these: acquired since the phase began this time
        uint64_t fresh_bytes = 0;
        uint64_t moment_seen = 0;
        uint64_t peak_seen = 0;
    };

    void acquired(const ObservedChange& change, uint64_t allocated_bytes, uint64_t time) override;
    void released(const ObservedChange& change, bool is_temporary) override;

    bool is_open() const { return moment_ % 2 != 0; }
    void look(Tally& tally) const;
    void look_for_peak(uint64_t time);
    template <class Change>
    void change_each(const ObservedChange& change, Change&& apply);

    // Begins and ends so far: while the phase is open it is odd.
    uint64_t moment_ = 0;
    uint64_t newest_ = 0;  // number of the last acquisition
    uint64_t before_ = 0;  // the same when the phase began
    bool has_peak_ = false;
    uint64_t peak_number_ = 0;
    uint64_t peak_time_ = 0;
    Tally all_;
    std::vector<Tally> sites_;
    std::vector<Tally> labels_;
};

}  // namespace memtrace::analyzer
