// SPDX-License-Identifier: Apache-2.0
//
// Tells which acquisitions of live addresses are explained by a resize that the end of the process
// cut off.
//
// A resize is written when it has succeeded, because only then it is known. If the process ends in
// between, the allocator may have handed out the old address again, to a thread that wrote so. Such
// a thread writes nothing more before its resize. So a lane whose thread was alive at the end, and
// which has no event after the acquisition, may explain one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memtrace::analyzer {

class CutResizes {
public:
    // An address that is live was acquired, by the current event of this lane. `number`: of this
    // contradiction among all of them.
    void acquired_while_live(uint32_t lane, uint64_t time, uint64_t number) {
        waits_ = true;
        acquisitions_.push_back({event_, time, number, lane});
        if (acquisitions_.size() > acquisitions_max) acquisitions_.erase(acquisitions_.begin());
    }

    // Call for each event, if waits().
    bool waits() const { return waits_; }
    void see(uint32_t lane) {
        event_ += 1;
        if (lane >= last_.size()) last_.resize(size_t{lane} + 1, 0);
        last_[lane] = event_;
    }

    // Returns the numbers of those that are explained, in ascending order. `is_alive(lane)`: its
    // thread had not ended, and did not end the process. `since`: earlier acquisitions are not
    // explained, because no resize takes that long.
    template <class IsAlive>
    std::vector<uint64_t> explained(size_t lanes, uint64_t since, IsAlive&& is_alive) const {
        std::vector<uint64_t> numbers;
        std::vector<bool> is_used(lanes, false);
        for (const Acquisition& acquisition : acquisitions_) {
            if (acquisition.time < since) continue;
            for (uint32_t lane = 0; lane < lanes; ++lane) {
                const uint64_t last = lane < last_.size() ? last_[lane] : 0;
                if (is_used[lane] || lane == acquisition.lane || last > acquisition.event ||
                    !is_alive(lane)) {
                    continue;
                }
                is_used[lane] = true;
                numbers.push_back(acquisition.number);
                break;
            }
        }
        return numbers;
    }

private:
    static constexpr size_t acquisitions_max = 256;
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
