// SPDX-License-Identifier: Apache-2.0
//
// The holdings of each site at an earlier moment, without a copy of all sites at that moment. As
// in peak_tracker.h, a site checks before each change if a new moment has begun since its last
// check.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace memtrace::analyzer {

class GpuSnapshot {
public:
    // Makes `time` the moment of the snapshot.
    void begin(uint64_t time) {
        number_ += 1;
        time_ = time;
    }

    // Must be called before a change of the site, with the bytes that it holds now.
    void before_change(uint32_t site, uint64_t held) {
        if (site >= sites_.size()) sites_.resize(size_t{site} + 1);
        if (sites_[site].number != number_) sites_[site] = {number_, held};
    }

    // Returns the bytes that the site held at the moment. `held_now`: the bytes that it holds now.
    uint64_t held(uint32_t site, uint64_t held_now) const {
        return site < sites_.size() && sites_[site].number == number_ ? sites_[site].held
                                                                      : held_now;
    }

    std::optional<uint64_t> time() const {
        return number_ == 0 ? std::nullopt : std::optional(time_);
    }

    // archive.h
    static void state(auto& self, auto& each) { each(self.number_, self.time_, self.sites_); }

private:
    struct Seen {
        uint64_t number = 0;
        uint64_t held = 0;
    };
    uint64_t number_ = 0;
    uint64_t time_ = 0;
    std::vector<Seen> sites_;
};

// A snapshot of a moment at about half the time from the beginning until now. Moments lie a power
// of two ticks after the beginning. The last two are kept, and the older one counts.
//
//   beginning   1   2       4               8           now
//                                           kept        8 is too recent: since 4
class HalfSnapshot {
public:
    // Must be called before an event at this time.
    void come_to(uint64_t time) {
        if (!is_begun_) {
            is_begun_ = true;
            first_ = time;
        }
        while (time - first_ >= next_) {
            newer_ ^= 1;
            baselines_[newer_].begin(first_ + next_);
            next_ = next_ > UINT64_MAX / 4 ? UINT64_MAX : next_ * 2;
        }
    }
    void before_change(uint32_t site, uint64_t held) {
        for (GpuSnapshot& baseline : baselines_) baseline.before_change(site, held);
    }
    const GpuSnapshot& older() const { return baselines_[newer_ ^ 1]; }

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.is_begun_, self.first_, self.next_, self.newer_, self.baselines_[0],
             self.baselines_[1]);
    }

private:
    bool is_begun_ = false;
    uint64_t first_ = 0;
    uint64_t next_ = 1;
    unsigned newer_ = 0;
    GpuSnapshot baselines_[2];
};

}  // namespace memtrace::analyzer
