// SPDX-License-Identifier: Apache-2.0
//
// Cuts the run into slices for the histories of sites (site_history.h), while it is replayed.
//
//   * If the program marks its steps, a slice is one step, or several if there would be too many
//     slices. The time before the first step is a slice of its own.
//   * Otherwise a slice is a share of the run, by half of its time and half of its events. So
//     neither hours without work nor a busy start leave the rest without slices.
//
//   time    ├───────────────┤ idle ├─────────┤
//   events  ▂▂▂▂▂▂▂▂█▂▂▂▂▂▂▂         ▂▂▂▂▂▂▂▂
//   slices  ├──┼──┼─┼┼─┼──┼───┼─────┼──┼──┼──┤   to the end of the work
//
// How long the run is, and which of its marks are steps, is only known at the end. So cuts are made
// by shares of the time and the events so far, and at every mark that may be a step. When there are
// too many, neighbours are merged, or every other mark is left out. A slice of the result is one or
// more of those that remain. Steps are always cut exactly at their marks.
//
// A final stretch of mere releases tells nothing about the memory held during the work. For
// example, a program may free by hand, before main() returns, the data that it collected for
// hours. The last slice ends before such a stretch (run_history.h goes back to it). A program that
// goes on after it has let go of what it loaded is told by what it keeps, or by what it takes for
// longer than a stretch may last: so is a leak after a large release.
//
// By request (SliceOptions::covers_run) slices are cut further by shares and where phases begin and
// end (phase_borders.h), and more slices cover the rest of the work. A page shows all of the run,
// and growth is judged by the slices above.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "analyzer/phases/phase_borders.h"
#include "analyzer/reader/event.h"
#include "analyzer/replay/loop_steps.h"
#include "analyzer/replay/share_cuts.h"
#include "analyzer/replay/slice_plan.h"
#include "analyzer/replay/step_marks.h"
#include "analyzer/replay/work_end.h"
#include "analyzer/spaces/run_history.h"

namespace memtrace::analyzer {

// Times at which the steps of a loop began.
class BegunSteps {
public:
    void add(uint64_t time) {
        if (count_++ == 0) first_ = time;
        last_ = time;
    }
    uint64_t count() const { return count_; }
    // True if the last step can last until `time`. Iterations without an event are no steps, so a
    // loop may go round many times after its last one.
    bool is_one_step_ago(uint64_t time) const {
        constexpr uint64_t longest = 3;  // times the usual duration
        if (count_ < 2 || time < last_) return false;
        return time - last_ <= (last_ - first_) / (count_ - 1) * longest;
    }

private:
    uint64_t first_ = 0;
    uint64_t last_ = 0;
    uint64_t count_ = 0;
};

class RunSlicer {
public:
    // What the slicer needs of the replay.
    struct Hooks {
        // Cuts the run where these last changes began.
        std::function<void(uint32_t cut, std::span<const HeldChange> since)> end_slice;
        // Adds all blocks that are alive to the histories.
        std::function<void()> count_births;
    };

    // `nodes`: those of the replay, for the loop of the options.
    RunSlicer(const SliceOptions& options, RunHistory& history, Hooks hooks, StackNodes nodes = {})
        : options_(options),
          history_(history),
          hooks_(std::move(hooks)),
          marks_(options.loop ? options.loop->name : options.step) {
        if (options.loop) loop_.emplace(*options.loop, std::move(nodes));
    }

    // Call before and after the replay of each event.
    void before(size_t lane, const Event& event) {
        if (loop_) [[unlikely]]
            step_ = before_step(static_cast<uint32_t>(lane), event);
        if (const auto* acquire = std::get_if<Acquire>(&event.record)) {
            before_change(acquire->time);
        } else if (const auto* release = std::get_if<Release>(&event.record)) {
            before_change(release->time);
        } else {
            before_other(event);
        }
    }
    void after(const Event& event) {
        if (const auto* acquire = std::get_if<Acquire>(&event.record)) {
            work_end_.count_acquisition();
            count(acquire->time, true);
        } else if (const auto* release = std::get_if<Release>(&event.record)) {
            count(release->time, false);
        } else {
            after_other(event);
        }
    }

    // What is known of steps so far: by marks, and of the loop.
    const StepMarks& marks() const { return marks_; }
    uint64_t loop_steps() const { return begun_.count(); }
    bool is_inside_loop() const { return loop_ && loop_->is_inside(); }
    // What the newest event is in the loop.
    LoopSteps::Step loop_step() const { return step_; }

    // Ends the last slice and passes its plan to the history. Throws Error if the requested mark
    // does not occur.
    SlicePlan finish();

    // archive.h
    static void state(auto& self, auto& each) {
        each(self.shares_, self.marks_, self.begun_, self.cuts_, self.cuts_max_, self.last_,
             self.events_, self.stretch_begin_, self.stretch_cut_, self.releases_,
             self.acquisitions_, self.kept_, self.last_taken_, self.work_end_, self.plan_);
        self.marks_.state_of_mark(self.step_before_stretch_, each);
        if (self.loop_) each(*self.loop_);
    }

private:
    // This many releases are the end of the work and not the end of one iteration.
    static constexpr uint64_t releases_min = 16;
    // A program that takes so many more blocks than it releases, at any time, goes on.
    static constexpr uint64_t kept_max = 16;
    // Cuts are given up when there are so many more than must be kept: a site that is in use has
    // figures for each of them.
    static size_t cuts_max_of(size_t kept) { return kept + std::max<size_t>(kept / 4, 32); }
    static constexpr size_t parts_max = 110;  // cuts that cover_run() adds

    void before_change(uint64_t time) {
        if (time > last_) last_ = time;
        if (shares_.is_due(time, events_)) [[unlikely]]
            cut_by_share(time);
    }
    LoopSteps::Step before_step(uint32_t lane, const Event& event);
    void mark_step(MarkKind kind, uint64_t time);
    bool is_in_last_step(uint64_t time) const;
    void before_other(const Event& event);
    void after_other(const Event& event);
    void before_mark(const Mark& record);
    // Counts an acquisition or a release.
    void count(uint64_t time, bool takes) {
        shares_.count(time, events_);
        events_ += 1;
        if (!takes) {
            releases_ += 1;
            kept_ -= kept_ != 0;
        } else {
            acquisitions_ += 1;
            kept_ += 1;
            last_taken_ = time;
            const bool goes_on = releases_ > 2 * acquisitions_ &&
                                 acquisitions_ <= releases_min + releases_ / 10 &&
                                 kept_ <= kept_max;
            if (!goes_on) begin_stretch(time);
        }
        if (history_.is_full()) [[unlikely]]
            make_room();
    }
    void begin_stretch(uint64_t time) {
        history_.begin_stretch();
        stretch_begin_ = {history_.cuts().made(), time + 1, events_};
        stretch_cut_.reset();
        releases_ = acquisitions_ = kept_ = 0;
    }
    // True if the open stretch is the end of the work: nearly nothing but releases, and nothing is
    // taken any more soon after its beginning.
    bool is_end_of_work(uint64_t time) const;

    CutPlace cut(uint64_t time);
    void cut_by_share(uint64_t time);
    void cut_stretch();
    CutPlace make_cut(uint64_t time, uint64_t events, std::span<const HeldChange> since);
    void make_room();
    void keep_few_cuts();
    // `with_parts`: between the slices, too, and not only after the last one.
    void cover_run(SlicePlan& plan, const CutPlace& end, bool with_parts) const;
    struct FurtherCut {
        CutPlace place;
        bool is_border;  // of a phase; false: of a share
    };
    // Returns all borders and some of the shares, in the order of their cuts.
    std::vector<FurtherCut> further_cuts() const;
    // Makes the plan up to here. The work ended, or the recording.
    void settle(uint64_t time, bool is_trimmed);

    SliceOptions options_;
    RunHistory& history_;
    Hooks hooks_;
    ShareCuts shares_;
    StepMarks marks_;
    PhaseBorders borders_;  // not in the state: those from before a compaction are given up
    std::optional<LoopCuts> loop_;
    LoopSteps::Step step_ = LoopSteps::Step::none;
    BegunSteps begun_;            // of the loop
    std::vector<CutPlace> cuts_;  // all cuts that are kept
    size_t cuts_max_ = cuts_max_of(0);
    uint64_t last_ = 0;
    uint64_t events_ = 0;
    // The beginning of the current stretch in which nearly all events are releases.
    CutPlace stretch_begin_;
    std::optional<CutPlace> stretch_cut_;  // the same, if it has become a cut
    std::optional<StepMark> step_before_stretch_;
    uint64_t releases_ = 0;
    uint64_t acquisitions_ = 0;
    uint64_t kept_ = 0;        // acquisitions in excess of the releases since
    uint64_t last_taken_ = 0;  // time
    WorkEndChoice work_end_;
    std::optional<SlicePlan> plan_;
};

}  // namespace memtrace::analyzer
