// SPDX-License-Identifier: Apache-2.0
//
// Cuts the run into shares, by half of its time and half of its events, while its length is not yet
// known. A slice ends when it is a small share of the run so far. As the run goes on, the shares of
// old slices shrink; when there are too many slices, neighbours are merged.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/replay/slice_plan.h"

namespace memtrace::analyzer {

class ShareCuts {
public:
    // True if it is time to call is_slice().
    bool is_due(uint64_t time, uint64_t events) const {
        return events >= due_events_ || time >= due_time_;
    }
    // True if a slice should end here.
    bool is_slice(uint64_t time, uint64_t events);
    // True if nothing happened for a whole slice before this time. The pause then becomes a slice
    // of its own, which begins at pause_begin().
    bool is_pause(uint64_t time, uint64_t events) const;
    uint64_t pause_begin() const { return last_event_ + 1; }

    // Adds a cut that was made.
    void add(const CutPlace& place);

    void count(uint64_t time, uint64_t events) {
        if (events == 0) first_ = time;
        last_event_ = time;
    }

    const std::vector<CutPlace>& places() const { return places_; }
    uint64_t first() const { return first_; }  // the time of the first event

    // Returns at most `slices_max` slices up to `end`.
    std::vector<SlicePlan::Slice> plan(const CutPlace& end, unsigned slices_max) const;

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.places_, self.first_, self.last_event_, self.due_events_, self.due_time_);
    }

private:
    // More than the slices of a plan, so that these can end about where they should.
    static constexpr size_t places_max = 240;
    // The share at which a slice ends even if there is no gap between events.
    static constexpr double waiting_max = 1.5 / places_max;
    // Slices are merged while they are not larger than this share.
    static constexpr double merged_max = 8.0 / 3 / places_max;

    struct Shares {
        double time;
        double events;
        double of(const CutPlace& from, const CutPlace& to) const;
    };
    Shares shares_at(uint64_t time, uint64_t events) const;
    CutPlace begin() const { return {0, first_, 0}; }
    void merge();

    std::vector<CutPlace> places_;
    uint64_t first_ = 0;
    uint64_t last_event_ = 0;
    uint64_t due_events_ = 1;
    uint64_t due_time_ = ~uint64_t{0};
};

}  // namespace memtrace::analyzer
