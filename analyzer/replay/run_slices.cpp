// SPDX-License-Identifier: Apache-2.0
#include "analyzer/replay/run_slices.h"

#include <algorithm>
#include <type_traits>

namespace memtrace::analyzer {
namespace {

template <class Record>
constexpr bool gives_address =
    std::is_same_v<Record, Release> || std::is_same_v<Record, Unmap> ||
    std::is_same_v<Record, GpuRelease> || std::is_same_v<Record, GpuUnmap> ||
    std::is_same_v<Record, TensorRelease>;

}  // namespace

// ---- events -------------------------------------------------------------------------------------

// A step of a loop is as good as a mark.
LoopSteps::Step RunSlicer::before_step(uint32_t lane, const Event& event) {
    const LoopSteps::Step step = loop_->take(lane, event);
    if (step == LoopSteps::Step::none) return step;
    const uint64_t time = event.key / 2;
    if (step == LoopSteps::Step::begins) {
        // The head of a loop may run once more than its body.
        if (options_.loop->count != 0 && begun_.count() == options_.loop->count) return step;
        begun_.add(time);
    }
    mark_step(step == LoopSteps::Step::begins ? MarkKind::mark : MarkKind::end, time);
    return step;
}

bool RunSlicer::is_in_last_step(uint64_t time) const {
    return loop_ && loop_->is_inside() && begun_.is_one_step_ago(time);
}

void RunSlicer::mark_step(MarkKind kind, uint64_t time) {
    Mark mark;
    mark.time = time;
    mark.kind = kind;
    mark.text = options_.loop->name;
    before_mark(mark);
}

void RunSlicer::before_other(const Event& event) {
    visit_record(event, [this](const auto& record) {
        using Record = std::decay_t<decltype(record)>;
        if constexpr (takes_address<Record> || gives_address<Record>) {
            before_change(record.time);
        } else {
            last_ = std::max(last_, record.time);
            if constexpr (std::is_same_v<Record, Mark>) before_mark(record);
            if constexpr (std::is_same_v<Record, WorkEnd>) {
                if (!work_end_.take(record)) return;
                // A loop that goes on to the end of the work has no event after its last step.
                if (is_in_last_step(record.time)) mark_step(MarkKind::end, record.time);
                settle(record.time, is_end_of_work(record.time));
            }
        }
    });
}

void RunSlicer::after_other(const Event& event) {
    visit_record(event, [this](const auto& record) {
        using Record = std::decay_t<decltype(record)>;
        if constexpr (std::is_same_v<Record, ResizeEnd>) work_end_.count_acquisition();
        if constexpr (takes_address<Record> || gives_address<Record>) {
            count(record.time, takes_address<Record>);
        }
    });
}

void RunSlicer::before_mark(const Mark& record) {
    const StepMarks::Found found = marks_.find(record);
    const bool is_border = options_.covers_run && !plan_ && borders_.takes(record);
    const CutPlace place = found.is_cut || is_border
                               ? cut(record.time)
                               : CutPlace{history_.cuts().made(), record.time, events_};
    if (is_border) borders_.add(place.cut);
    if (found.is_kept) marks_.keep(found, place);
    if (!found.is_leader) return;
    history_.anchor_mark(place.cut);
    marks_.set_last(found, place);
}

// ---- cuts ---------------------------------------------------------------------------------------

CutPlace RunSlicer::cut(uint64_t time) {
    if (history_.is_stretch_open()) cut_stretch();
    return make_cut(time, events_, {});
}

void RunSlicer::cut_by_share(uint64_t time) {
    if (!shares_.is_slice(time, events_)) return;
    if (shares_.is_pause(time, events_)) shares_.add(cut(shares_.pause_begin()));
    shares_.add(cut(time));
}

// Cuts at the beginning of the open stretch, which is in the past.
void RunSlicer::cut_stretch() {
    stretch_cut_ = make_cut(stretch_begin_.time, stretch_begin_.events, history_.stretch());
    history_.anchor_stretch(stretch_cut_->cut);
    step_before_stretch_ = marks_.last();
}

CutPlace RunSlicer::make_cut(uint64_t time, uint64_t events, std::span<const HeldChange> since) {
    if (cuts_.size() >= cuts_max_) keep_few_cuts();
    const CutPlace place{history_.cuts().make(), time, events};
    hooks_.end_slice(place.cut, since);
    cuts_.push_back(place);
    return place;
}

void RunSlicer::make_room() {
    if (history_.make_room()) return;
    cut_stretch();
    history_.make_room();
}

void RunSlicer::keep_few_cuts() {
    marks_.limit_cuts();
    std::vector<uint32_t> kept;
    for (const CutPlace& place : shares_.places()) kept.push_back(place.cut);
    marks_.append_cuts(kept);
    borders_.append_cuts(kept);
    if (stretch_cut_) kept.push_back(stretch_cut_->cut);
    if (step_before_stretch_) kept.push_back(step_before_stretch_->place.cut);
    if (plan_) {
        for (const SlicePlan::Slice& slice : plan_->slices) kept.push_back(slice.end.cut);
    }
    history_.keep(std::move(kept));
    std::erase_if(cuts_, [this](const CutPlace& place) {
        return history_.cuts().resolve(place.cut) != place.cut;
    });
    cuts_max_ = cuts_max_of(cuts_.size());
}

// ---- the plan -----------------------------------------------------------------------------------

bool RunSlicer::is_end_of_work(uint64_t time) const {
    constexpr uint64_t lasting = 5;  // parts of the run, of which the stretch may last one
    if (releases_ < releases_min || releases_ <= 10 * acquisitions_) return false;
    const uint64_t begin = stretch_begin_.time;
    return acquisitions_ == 0 || last_taken_ <= begin ||
           last_taken_ - begin <= (time - shares_.first()) / lasting;
}

void RunSlicer::settle(uint64_t time, bool is_trimmed) {
    if (shares_.is_pause(time, events_)) shares_.add(cut(shares_.pause_begin()));
    const CutPlace whole_end = cut(time);
    CutPlace end = whole_end;
    std::optional<StepMark> last = marks_.last();
    if (is_trimmed && stretch_cut_) {
        end = *stretch_cut_;
        last = step_before_stretch_;
    }
    SlicePlan plan;
    if (last) {
        plan.is_found = options_.loop != nullptr;
        plan.step = options_.loop ? options_.loop->name : last->steps->name;
        plan.slices = plan_steps(*last, options_.slices_max, history_.cuts(), cuts_);
    } else {
        plan.is_trimmed = is_trimmed;
        plan.slices = shares_.plan(end, options_.slices_max);
    }
    plan_ = std::move(plan);
    if (plan_->slices.empty()) return;
    history_.begin_births(plan_->slices.back().end.cut);
    hooks_.count_births();
    history_.end_births();
    if (options_.covers_run || options_.covers_end)
        cover_run(*plan_, whole_end, options_.covers_run);
}

std::vector<RunSlicer::FurtherCut> RunSlicer::further_cuts() const {
    std::vector<CutPlace> shares;
    for (const CutPlace& place : shares_.places()) {
        if (history_.cuts().resolve(place.cut) == place.cut) shares.push_back(place);
    }
    std::vector<FurtherCut> cuts;
    const size_t each = shares.size() / parts_max + 1;
    for (size_t i = each - 1; i < shares.size(); i += each) cuts.push_back({shares[i], false});
    std::vector<uint32_t> borders;
    borders_.append_cuts(borders);
    for (const uint32_t cut : borders) {
        const auto found = std::lower_bound(
            cuts_.begin(), cuts_.end(), cut,
            [](const CutPlace& place, uint32_t wanted) { return place.cut < wanted; });
        if (found != cuts_.end() && found->cut == cut) cuts.push_back({*found, true});
    }
    std::sort(cuts.begin(), cuts.end(), [](const FurtherCut& one, const FurtherCut& other) {
        return one.place.cut < other.place.cut;
    });
    return cuts;
}

// Cuts slices further, those of the run's shares only where phases begin and end, and adds slices
// after the last one up to `end`.
void RunSlicer::cover_run(SlicePlan& plan, const CutPlace& end, bool with_parts) const {
    const std::vector<FurtherCut> cuts = further_cuts();
    const bool has_steps = !plan.step.empty();
    std::vector<SlicePlan::Slice> slices;
    CutPlace before;
    const auto put = [&](const CutPlace& place, bool is_part) {
        if (!slices.empty() && (place.cut < before.cut || place.time <= before.time)) return;
        slices.push_back({place, 0, place.events - before.events, is_part, !is_part});
        before = place;
    };
    auto next = cuts.begin();
    // Borders in a pause, which was found later and whose begin is a cut of its own: nothing
    // happened between the two.
    std::vector<CutPlace> in_pause;
    for (const SlicePlan::Slice& slice : plan.slices) {
        for (const CutPlace& place : in_pause) {
            if (place.time < slice.end.time) put(place, true);
        }
        in_pause.clear();
        for (; next != cuts.end() && next->place.cut < slice.end.cut; ++next) {
            const auto& [place, is_border] = *next;
            if (!with_parts || !(has_steps || is_border)) continue;
            if (place.time < slice.end.time) put(place, true);
            else if (place.events == slice.end.events)
                in_pause.push_back({slice.end.cut, place.time, place.events});
        }
        slices.push_back({slice.end, slice.steps, slice.end.events - before.events});
        before = slice.end;
    }
    for (const CutPlace& place : in_pause) put(place, false);
    for (; next != cuts.end() && next->place.cut < end.cut; ++next) put(next->place, false);
    put(end, false);
    plan.slices = std::move(slices);
}

SlicePlan RunSlicer::finish() {
    marks_.check_requested();
    if (!plan_) settle(last_ + 1, false);
    std::vector<uint32_t> ends;
    for (const SlicePlan::Slice& slice : plan_->slices) ends.push_back(slice.end.cut);
    history_.set_plan(std::move(ends));
    return *plan_;
}

}  // namespace memtrace::analyzer
