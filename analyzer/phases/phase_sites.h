// SPDX-License-Identifier: Apache-2.0
//
// One space as if the recording were only this phase. Each call site has the figures of its
// activity while the phase was open, and its holdings at the phase's peak, including older blocks.
// Its live figures are the blocks that it acquired in the phase and that were still alive when the
// phase ended.
//
// Nothing is copied when the phase begins or ends. As in peak_tracker.h, moments are numbered, and
// a site checks before each change if a moment has passed since its last check. Sums over sites
// equal the figures of the space, as model.h promises. Sites without activity stay in the list,
// because others refer to sites by their index; drop_idle_sites() removes them. But allocations -
// frees is not the number of blocks left, because a phase also frees older blocks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/spaces/space_observer.h"

namespace memtrace::analyzer {

class SpaceCounter;

class PhaseSites final : public SpaceObserver {
public:
    void open(uint64_t time);
    void close();
    // The program's work ends here, while the phase is open: what is held is counted now. The last
    // call counts. Without a call, it is counted when the phase closes.
    void end_work();
    // Goes on with a phase that is open and that the space has been in from its first event on.
    // Call before everything else.
    void go_on_from_start(const SpaceCounter& space, uint64_t time);

    void finish(Space& space, const std::vector<std::string>& labels, uint64_t& peak_time) override;

private:
    struct Tally {
        Totals totals;             // of the phase; live_* is what the phase left
        uint64_t live_blocks = 0;  // alive now, from any time
        uint64_t live_bytes = 0;
        uint64_t fresh_blocks = 0;  // part of live_*: acquired since the phase last began
        uint64_t fresh_bytes = 0;
        uint64_t moment_seen = 0;
        uint64_t peak_seen = 0;
        uint64_t work_end_seen = 0;
    };

    void acquired(const ObservedChange& change, uint64_t allocated_bytes, uint64_t time) override;
    void released(const ObservedChange& change, bool is_temporary) override;

    bool is_open() const { return moment_ % 2 != 0; }
    void look(Tally& tally) const;
    void look_for_peak(uint64_t time);
    Tally tally_of(const Totals& totals) const;
    template <class Change>
    void change_each(const ObservedChange& change, Change&& apply);

    // Number of begins and ends so far. It is odd while the phase is open.
    uint64_t moment_ = 0;
    uint64_t newest_ = 0;  // number of the last acquisition
    uint64_t before_ = 0;  // newest_ when the phase began
    bool has_peak_ = false;
    uint64_t peak_number_ = 0;
    uint64_t peak_time_ = 0;
    uint64_t work_end_ = 0;  // number of calls of end_work()
    Tally all_;
    std::vector<Tally> sites_;
    std::vector<Tally> labels_;
};

}  // namespace memtrace::analyzer
