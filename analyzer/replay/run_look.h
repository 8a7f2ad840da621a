// SPDX-License-Identifier: Apache-2.0
//
// A first look at the events of a dump, for what the replay must know beforehand: the moments of a
// range (--from, --to) and the threads that count (--thread).
//
// The Clock records that convert times into ticks may come last, the N-th step is known only when
// all marks are known, and a thread may get its name after it has allocated. So the dump is read
// twice if one of these is requested. The stream is the same in both passes, so a mark, an event at
// some time and the start of a thread are named by their number.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/base/tick_clock.h"
#include "analyzer/phases/phase_observer.h"
#include "analyzer/phases/phase_ranges.h"
#include "analyzer/phases/phases_before.h"
#include "analyzer/phases/range_text.h"
#include "analyzer/reader/event.h"
#include "analyzer/replay/chosen_threads.h"
#include "analyzer/replay/loop_steps.h"
#include "analyzer/replay/step_marks.h"
#include "analyzer/replay/threads.h"
#include "analyzer/replay/work_end.h"

namespace memtrace::analyzer {

class RunLook {
public:
    // `request` and `loop` must outlive this object. `loop`: as LoadOptions::loop.
    RunLook(const FileHeader& header, const PhaseRequest& request, const LoopTurns* loop,
            const std::string& why_no_loop);

    // What was before the first event, if that is not the first of the recording: events that are
    // known by what they amounted to.
    struct Before {
        uint64_t first_tick;  // Times before it are gone.
        uint64_t last;        // the latest time
        uint64_t marks;       // number of marks
        const TickClock& clock;
        const PhasesBefore& phases;
        const StepMarks& steps;
        WorkEndChoice work_end;
        // Of the loop: the steps so far, and whether a thread is inside. Its steps come to take().
        uint64_t loop_steps;
        std::function<bool()> is_inside_loop;
        // An end of the range lies before: throws Error. `end`: as it was typed.
        std::function<void(const std::string& end)> refuse;
    };
    // Must be called first. What `before` refers to must outlive this object.
    void go_on_after(const Before& before);

    // Consumes the next event of the stream. `lane` is the index of the lane in the dump.
    void take(size_t lane, const Event& event) {
        take(lane, event, loop_ ? loop_->take(static_cast<uint32_t>(lane), event) : no_step);
    }
    // The same with what the event is in the loop.
    void take(size_t lane, const Event& event, LoopSteps::Step step);

    // Call after the last event, moments() first. Each throws Error if what was requested does not
    // exist.
    RangeMoments moments();
    ThreadChoice threads(const std::vector<std::string>& patterns);

private:
    static constexpr LoopSteps::Step no_step = LoopSteps::Step::none;

    // One end of the range.
    struct End {
        std::string option;
        std::string typed;
        RangeText text;
        std::optional<RangeMoment> moment;  // that a phase made
        uint64_t open = 0;                  // of `to`: matching ranges that are not ended

        const RangeAtStep* step() const { return std::get_if<RangeAtStep>(&text); }
        bool is_phase(const std::string& name) const {
            const auto* phase = std::get_if<RangeAtPhase>(&text);
            return phase != nullptr && phase->pattern.matches(name);
        }
    };
    // The marks that differ only in their numbers, or the iterations of a loop.
    struct Steps {
        bool is_program = false;
        bool may_be_steps = false;  // without being asked for
        uint64_t count = 0;
        uint64_t before = 0;              // the part of them that was before the first event
        std::optional<RangeMoment> from;  // the beginning of the step that the range begins with
        std::optional<RangeMoment> to;    // the end of the step that the range ends with
        std::string to_name;              // of marks: what that step is called
        bool is_open = false;             // of a loop: nothing has ended the last step

        void end(const RangeMoment& moment) {
            to = moment;
            to->step = to_name;
        }
    };
    // What the end of a range ends.
    struct Open {
        bool ends_range = false;
        Steps* steps = nullptr;
    };

    void take_step(LoopSteps::Step step);
    bool is_inside_loop() const;
    void refuse_if_before(const End& end, bool is_to) const;
    void begin_step();
    void end_step(bool is_open);
    void on(const Acquire&) { work_end_.count_acquisition(); }
    void on(const ResizeEnd&) { work_end_.count_acquisition(); }
    void on(const WorkEnd& record);
    void on(const Clock& record) { clock_.add_anchor(record); }
    void on(const ThreadStart& record);
    void on(const ThreadName& record) {
        threads_.name(lane_, record.tid, std::string(record.text));
    }
    void on(const ThreadEnd& record) { threads_.end(lane_, record.time); }
    void on(const Mark& record);
    void on(const auto&) {}
    void begin(const Mark& record, const std::string& name, RangeMoment moment);
    void end(const Mark& record, const std::string& name, RangeMoment moment);

    static std::optional<End> end_of(const char* option, const std::string& typed);
    static bool is_step(const std::optional<End>& end, uint64_t number) {
        return end && end->step() != nullptr && end->step()->number == number;
    }
    const std::pair<const std::string, Steps>* find_steps() const;
    const Steps& steps_of(const End& end) const;
    const Steps& found_steps_of(const End& end) const;
    RangeMoment at_time(const End& end) const;
    std::optional<RangeMoment> moment_of(const End& end, bool is_to) const;
    std::string place_of(const RangeMoment& moment) const;

    TickClock clock_;
    const PhaseRequest& request_;
    const LoopTurns* turns_;
    std::string why_no_loop_;
    std::optional<End> from_;
    std::optional<End> to_;
    Threads threads_;
    std::vector<uint32_t> started_;  // by number of the ThreadStart record: its thread
    PhaseRanges ranges_;
    std::unordered_map<uint32_t, Open> open_;  // by number of a begin
    std::map<std::string, Steps> steps_;       // by text, with # in place of each number
    std::set<std::string> names_;
    std::optional<LoopCuts> loop_;  // nothing: the recording has none, or take() is told
    std::optional<Before> before_;
    Steps of_loop_;
    WorkEndChoice work_end_;
    uint32_t lane_ = 0;
    uint64_t last_ = 0;    // the latest time
    uint64_t events_ = 0;  // that have come at this time or, if times are disordered, after it
    uint64_t marks_ = 0;
    uint32_t begins_ = 0;
};

}  // namespace memtrace::analyzer
