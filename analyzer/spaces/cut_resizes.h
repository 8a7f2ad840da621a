// SPDX-License-Identifier: Apache-2.0
//
// Tells which acquisitions of live addresses are explained by a resize that the end of the process
// cut off.
//
// A resize is written when it has succeeded, because only then it is known. If the process ends in
// between, the allocator may have handed out the old address again, to a thread that wrote so. A
// thread in the midst of a resize writes nothing more. So a lane whose thread was alive at the end,
// and which has no event after the acquisition, may explain one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/model/model.h"
#include "analyzer/model/problems.h"

namespace memtrace::analyzer {

class CutResizes {
public:
    // An address that is live was acquired, by the current event of this lane. `number`: of this
    // contradiction among all of them, from 1.
    void acquired_while_live(uint32_t lane, uint64_t time, uint64_t number);

    // Call for each event, if waits().
    bool waits() const { return waits_; }
    void see(uint32_t lane) {
        event_ += 1;
        if (lane >= last_.size()) last_.resize(size_t{lane} + 1, 0);
        last_[lane] = event_;
    }

    // Takes back the contradictions that are explained, and says how many. `end`: time of the last
    // event. `is_alive`: by lane: its thread had not ended, and did not end the process.
    void explain(const TickClock& clock, uint64_t end, const std::vector<bool>& is_alive,
                 Capture& capture, Problems& problems) const;

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.waits_, self.event_, self.acquisitions_, self.last_);
    }

private:
    static constexpr size_t acquisitions_max = 256;
    static constexpr uint64_t longest_ns = 1'000'000'000;  // No resize takes longer.
    struct Acquisition {
        uint64_t event, time, number;
        uint32_t lane;
    };

    bool waits_ = false;
    uint64_t event_ = 0;  // events since the first acquisition
    std::vector<Acquisition> acquisitions_;
    std::vector<uint64_t> last_;  // by lane: its last event of these
};

}  // namespace memtrace::analyzer
