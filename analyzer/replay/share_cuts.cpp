// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/share_cuts.h"

#include <algorithm>
#include <cmath>

namespace memtrace::analyzer {

double ShareCuts::Shares::of(const CutPlace& from, const CutPlace& to) const {
    const uint64_t ticks = to.time > from.time ? to.time - from.time : 0;
    return (static_cast<double>(ticks) * time +
            static_cast<double>(to.events - from.events) * events) /
           2;
}

ShareCuts::Shares ShareCuts::shares_at(uint64_t time, uint64_t events) const {
    const uint64_t ticks = time > first_ ? time - first_ : 1;
    return {1 / static_cast<double>(ticks), 1 / static_cast<double>(std::max<uint64_t>(events, 1))};
}

bool ShareCuts::is_slice(uint64_t time, uint64_t events) {
    constexpr double wanted = 1.0 / places_max;
    const CutPlace here{0, time, events};
    const Shares shares = shares_at(time, events);
    const double share = shares.of(places_.empty() ? begin() : places_.back(), here);
    const bool is_large = share >= wanted;
    // Programs often work in bursts. Between them they hold what they really keep.
    const uint64_t gap = time > last_event_ ? time - last_event_ : 0;
    const bool is_quiet = static_cast<double>(gap) * shares.time >= wanted / 8;
    if (is_large && !is_quiet && share < waiting_max) {
        due_events_ = events;
        return false;
    }
    const bool is_slice = is_large;
    // Neither of the two can make up what is missing before it has grown by as much itself.
    const double left = is_slice ? wanted : wanted - share;
    due_events_ = events + std::max<uint64_t>(1, static_cast<uint64_t>(left / shares.events));
    due_time_ = time + std::max<uint64_t>(1, static_cast<uint64_t>(left / shares.time));
    return is_slice;
}

bool ShareCuts::is_pause(uint64_t time, uint64_t events) const {
    if (events == 0) return false;
    const CutPlace begin{0, pause_begin(), events};
    return shares_at(time, events).of(begin, {0, time, events}) >= 1.0 / places_max;
}

void ShareCuts::add(const CutPlace& place) {
    places_.push_back(place);
    if (places_.size() >= places_max) merge();
}

void ShareCuts::merge() {
    const Shares shares = shares_at(places_.back().time, places_.back().events);
    std::vector<CutPlace> merged;
    for (size_t i = 0; i + 1 < places_.size(); ++i) {
        const CutPlace from = merged.empty() ? begin() : merged.back();
        if (shares.of(from, places_[i + 1]) > merged_max) merged.push_back(places_[i]);
    }
    merged.push_back(places_.back());
    places_ = std::move(merged);
}

// Each slice ends at the cut next to where it should.
std::vector<SlicePlan::Slice> ShareCuts::plan(const CutPlace& end, unsigned slices_max) const {
    std::vector<SlicePlan::Slice> slices;
    if (end.events == 0 || end.time <= first_) return slices;
    const Shares shares = shares_at(end.time, end.events);
    std::vector<CutPlace> ends;
    double off_before = 0;
    uint64_t number_before = 0;
    const auto most = static_cast<double>(slices_max);
    for (size_t i = 0; i < places_.size() && places_[i].cut < end.cut; ++i) {
        const CutPlace& place = places_[i];
        const CutPlace& next = i + 1 < places_.size() ? places_[i + 1] : end;
        const double at = shares.of(begin(), place) * most;
        const auto number = static_cast<uint64_t>(std::llround(at));
        if (number == 0 || number >= slices_max) continue;
        // What came before a pause did not come in it, so the slice ends where the pause begins.
        const bool is_before_pause = shares.of(place, next) * most >= 2;
        const double off = is_before_pause ? 0 : std::abs(at - static_cast<double>(number));
        if (number == number_before) {
            if (off >= off_before) continue;
            ends.pop_back();
        }
        ends.push_back(place);
        number_before = number;
        off_before = off;
    }
    ends.push_back(end);
    uint64_t events = 0;
    for (const CutPlace& place : ends) {
        slices.push_back({place, 0, place.events - events});
        events = place.events;
    }
    return slices;
}

}  // namespace memtrace::analyzer
