// SPDX-License-Identifier: Apache-2.0
//
// What each site held at an earlier moment, without a copy of all sites at that moment: as in
// peak_tracker.h, a site looks before it changes whether a new moment has come since it last
// looked.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace memtrace::analyzer {

class GpuSnapshot {
public:
    // From now on, this moment is the one that counts.
    void begin(uint64_t time) {
        number_ += 1;
        time_ = time;
    }

    // The site holds so much, and is about to change.
    void before_change(uint32_t site, uint64_t held) {
        if (site >= sites_.size()) sites_.resize(size_t{site} + 1);
        if (sites_[site].number != number_) sites_[site] = {number_, held};
    }

    // What the site held at the moment that counts. `held_now`: what it holds.
    uint64_t held(uint32_t site, uint64_t held_now) const {
        return site < sites_.size() && sites_[site].number == number_ ? sites_[site].held
                                                                      : held_now;
    }

    std::optional<uint64_t> time() const {
        return number_ == 0 ? std::nullopt : std::optional(time_);
    }

private:
    struct Seen {
        uint64_t number = 0;
        uint64_t held = 0;
    };
    uint64_t number_ = 0;
    uint64_t time_ = 0;
    std::vector<Seen> sites_;
};

// A moment about half the time before now, always at hand: of all times that are a power of two
// ticks after the beginning, the last two are kept, and the older one counts.
//
//   beginning   1   2       4               8           now
//                                           kept        8 is too near: since 4
class HalfSnapshot {
public:
    // Before an event of this time.
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

private:
    bool is_begun_ = false;
    uint64_t first_ = 0;
    uint64_t next_ = 1;
    unsigned newer_ = 0;
    GpuSnapshot baselines_[2];
};

}  // namespace memtrace::analyzer
