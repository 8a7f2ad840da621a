// SPDX-License-Identifier: Apache-2.0
//
// Turns the histories of a model into curves that can be judged: one value for each slice in which
// the program worked. A slice in which almost nothing happened is merged with the next slice, so
// that a night without requests is not a plateau. What was only cut for a page
// (RunSlice::is_part, is_after) is put together first, so the page and the report say the same.
//
// Few events alone do not make a night: after a start that took nearly all of them, a service that
// answers a hundred requests a second is as quiet. What stays tells the two apart:
//
//   events   ▇▇▇▇▁▁▁▁▁▁▁▁   a start, and a service      ▆▆▆▆______▆▆▆▆   a day, a night, a day
//   stays    ▂▂__▁▁▁▁▁▁▁▁   a leak of the service       ▁▁▁▁______▁▁▁▁   a leak of the requests
//
// So a quiet stretch is left out where nothing stays. If little stays there, compared with the rest
// of the run, that is decided for each curve by itself (judge() below).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/growth/growth_judge.h"
#include "analyzer/model/model.h"

namespace memtrace::analyzer {

class GrowthCurves {
public:
    // The first `before` slices are one. Only if the run is not cut by steps. The model outlives
    // its curves.
    explicit GrowthCurves(const Model& model, size_t before = 0);
    explicit GrowthCurves(Model&&, size_t = 0) = delete;

    size_t size() const { return ends_.size(); }
    bool by_steps() const { return by_steps_; }
    // The end of the last of these slices in which more than almost nothing happened.
    uint64_t active_end_ns(size_t until) const;
    // The end of the last step of a slice, or of the slice.
    uint64_t done_ns_of(size_t slice) const { return done_ns(ends_[slice]); }
    // The end of each slice, in seconds since the start of the recording, and in steps.
    const std::vector<double>& seconds() const { return seconds_; }
    const std::vector<double>& steps() const { return steps_; }
    // Steps of the slices [begin, end); 0 if the run is not cut by steps.
    uint64_t steps_in(size_t begin, size_t end) const {
        if (!by_steps_ || end == 0 || end <= begin) return 0;
        return static_cast<uint64_t>(steps_[end - 1] - (begin == 0 ? 0 : steps_[begin - 1]));
    }
    uint64_t begin_ns(size_t slice) const { return slice == 0 ? 0 : end_ns(slice - 1); }
    uint64_t end_ns(size_t slice) const { return slices_[ends_[slice]].end_ns; }

    // Returns the number of slices with a point of a history, before any of them are merged. Parts
    // of a slice count once.
    template <class Point>
    size_t count_of(const std::vector<Point>& points) const {
        size_t count = 0, last = SIZE_MAX;
        for (const Point& point : points) {
            if (point.slice >= wholes_.size() || wholes_[point.slice] == last) continue;
            last = wholes_[point.slice];
            count += 1;
        }
        return count;
    }
    // The slice that one of the model's slices is a part of.
    size_t whole_of(size_t slice) const { return slice < wholes_.size() ? wholes_[slice] : slice; }
    // True if some of what is left was acquired in the steps, or at all if there are none.
    bool keeps_in_work(const SiteHistory& history) const;
    // Returns the figures at the end of the last slice.
    HeldPoint last_of(const SiteHistory& history) const;

    // Returns when the last survivor of the slices [0, until) came, no later than that by a slice;
    // 0 if there is none.
    uint64_t last_birth_ns(const SiteHistory& history, size_t until) const;
    // True if hardly anything was allocated after this time, compared with before.
    bool is_quiet_after(uint64_t time_ns) const;
    // Returns the slices whose ends remain if those are left out in which the program hardly worked
    // and this curve kept next to nothing; all, in most runs.
    std::vector<size_t> worked_in(const Curve& curve) const;

    // Returns the longest time between two of the slices [begin, end) with survivors.
    uint64_t longest_pause_ns(const Curve& curve, size_t begin, size_t end) const;

    Curve of(const SiteHistory& history) const;
    // The curve of several call sites together. `histories` have them by number.
    template <class Histories>
    Curve sum_of(const Histories& histories, const std::vector<uint32_t>& sites) const {
        Curve changes = no_changes();
        for (const uint32_t site : sites) add_changes(changes, histories[site]);
        return summed(std::move(changes));
    }

    // True if the same call sites were busy before the end of this slice and after it: at least
    // half of all allocations are alike.
    bool is_same_work(size_t since, size_t slice) const;

private:
    // Slices [begin, end) with hardly any events.
    struct Stretch {
        size_t begin = 0;
        size_t end = 0;
    };
    // Slices with few events are idle if nothing stays, or keep as much as others, or less.
    enum class Kind : uint8_t { works, idle, keeps, quiet };
    std::vector<size_t> put_together();
    std::vector<Kind> kinds_of_slices() const;
    uint64_t done_ns(size_t whole) const;
    // The first slice of the steps. What comes before them is a slice of its own.
    size_t first() const { return by_steps_ && size() > 1 && steps_.front() == 0 ? 1 : 0; }
    // A curve of as many slices, in which bytes and blocks are what each slice adds.
    Curve no_changes() const;
    void add_changes(Curve& changes, const SiteHistory& history) const;
    static Curve summed(Curve changes);

    const Model& model_;
    bool by_steps_;
    uint64_t step_ns_ = 0;  // what half of the slices take no longer than, if they are steps
    std::vector<RunSlice> slices_;  // as they are judged: without parts, before they are merged
    std::vector<size_t> wholes_;    // for each of the model's slices: the one that it is a part of
    std::vector<size_t> ends_;      // the last of slices_ merged into each slice here
    std::vector<size_t> ends_of_model_;  // the same one as the model counts
    std::vector<uint64_t> active_ns_;    // by slice here: the end of its last slice with much to do
    std::vector<Stretch> quiet_;         // in which little stays
    uint64_t works_until_ns_ = 0;        // the end of the last stretch that keeps as much as others
    std::vector<size_t> of_model_;       // for each of the model's slices its index here
    std::vector<double> seconds_;
    std::vector<double> steps_;
    mutable std::map<std::pair<size_t, size_t>, bool> same_work_;  // earlier results
};

// Judges a curve without the stretches in which its part of the program waited.
Judgement judge(const GrowthCurves& curves, const Curve& curve);

// Returns how fast a curve rose while it did; that of a leak is what its survivors add.
GrowthRate rate_of(const GrowthCurves& curves, const Curve& curve, const Judgement& judgement);

}  // namespace memtrace::analyzer
