// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phase_list.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analyzer/base/units.h"
#include "analyzer/phases/phase_names.h"

namespace memtrace::analyzer {
namespace {

constexpr const char* further_names = "(further names)";

}  // namespace

// No phase has occurred in the range yet.
void AllPhases::go_on_after(const PhasesBefore& before) {
    nameless_ = before.nameless();
    if (each_) return;  // Of the names of before, only groups are known.
    ranges_ = before.ranges();
    for (const PhaseBefore& known : before.phases()) {
        by_name_[{known.name, known.is_mark}] = static_cast<uint32_t>(phases_.size());
        Phase& phase = phases_.emplace_back();
        phase.info.name = known.name;
        phase.info.is_mark = known.is_mark;
        phase.info.depth = known.depth;
        phase.open = known.open;
    }
}

PhasesBefore AllPhases::so_far(const std::vector<MarkInfo>& marks, bool has_all) const {
    std::vector<PhaseBefore> phases;
    for (const Phase& phase : phases_)
        phases.push_back({phase.info.name, phase.info.is_mark, phase.info.depth, phase.open});
    return {ranges_, std::move(phases), nameless_, marks, has_all};
}

void AllPhases::limit_from_start(const PhaseRequest& request, uint64_t time) {
    range_ = RangeTime(request);
    range_.begin(time);
}

SpaceObserver* AllPhases::observe(const std::string& space) {
    std::unique_ptr<PhaseSpace>& observer = spaces_[space];
    observer = std::make_unique<PhaseSpace>();
    if (is_filtered_) observer->count_only(sites_[space]);
    for (const uint32_t number : open_) observer->open(number, phases_[number].time.since());
    return observer.get();
}

uint32_t AllPhases::phase_of(const std::string& full_name, bool is_mark) {
    std::string name = each_ ? full_name : grouped_name(full_name);
    const bool is_known = by_name_.contains({name, is_mark});
    if (!is_known && by_name_.size() >= (each_ ? each_max : names_max)) {
        name = further_names;
        nameless_ += 1;
    }
    const auto number = static_cast<uint32_t>(phases_.size());
    const auto [entry, is_new] = by_name_.try_emplace({name, is_mark}, number);
    if (is_new) {
        PhaseInfo& info = phases_.emplace_back().info;
        info.name = name;
        info.is_mark = is_mark;
    }
    return entry->second;
}

bool AllPhases::is_sound() const {
    const auto is_known = [this](uint32_t phase) { return phase < phases_.size(); };
    std::vector<uint64_t> ranges(phases_.size());
    bool is_sound = true;
    ranges_.for_each_open([&](uint32_t phase, uint64_t count) {
        if (is_known(phase)) ranges[phase] += count;
        else is_sound = false;
    });
    std::vector<bool> is_open(phases_.size());
    for (const uint32_t phase : open_) {
        is_sound &= is_known(phase) && !is_open[phase];
        if (is_sound) is_open[phase] = true;
    }
    for (const auto& [name, phase] : by_name_) is_sound &= is_known(phase);
    for (size_t phase = 0; is_sound && phase < phases_.size(); ++phase) {
        is_sound =
            phases_[phase].open == ranges[phase] && (phases_[phase].open != 0) == is_open[phase];
    }
    return is_sound;
}

void AllPhases::on(const Mark& mark, uint32_t thread) {
    const std::string name = full_name(mark);
    if (mark.kind == MarkKind::end) {
        if (const auto number = ranges_.end(mark, name, thread)) {
            if (--phases_[*number].open == 0 && range_.is_open()) close(*number, mark.time);
        }
        return;
    }
    const bool is_mark = mark.kind == MarkKind::mark;
    if (!is_mark && mark.kind != MarkKind::begin) return;  // The kind is newer than this program.
    if (is_mark && !range_.is_open()) return;
    const uint32_t number = phase_of(name, is_mark);
    Phase& phase = phases_[number];
    const uint32_t depth =
        is_mark ? ranges_.open_of(thread) : ranges_.begin(mark, name, thread, number);
    if (phase.info.occurrences == 0) phase.info.depth = depth;
    phase.info.occurrences += range_.is_open();
    if (phase.open == 0 && range_.is_open()) open(number, mark.time);
    if (!is_mark) phase.open += 1;
    else if (phase.open == 0) close(number, mark.time);
}

// The occurrences that are open already count, too.
void AllPhases::begin_range(uint64_t time) {
    range_.begin(time);
    for (uint32_t number = 0; number < phases_.size(); ++number) {
        if (phases_[number].open == 0) continue;
        phases_[number].info.occurrences += phases_[number].open;
        open(number, time);
    }
}

void AllPhases::end_range(uint64_t time) {
    while (!open_.empty()) close(open_.back(), time);
    range_.end(time);
}

void AllPhases::open(uint32_t number, uint64_t time) {
    phases_[number].time.begin(time);
    open_.push_back(number);
    for (auto& [name, space] : spaces_) space->open(number, time);
}

void AllPhases::close(uint32_t number, uint64_t time) {
    phases_[number].time.end(time);
    open_.erase(std::find(open_.begin(), open_.end(), number));
    for (auto& [name, space] : spaces_) space->close(number);
}

void AllPhases::end(uint64_t time) {
    while (!open_.empty()) {
        phases_[open_.back()].info.open = true;
        close(open_.back(), time);
    }
    if (range_.is_open()) range_.end(time);
}

void AllPhases::finish(Model& model, const TickClock& clock, Problems& problems) {
    PhaseList& list = model.phases.emplace();
    list.unpaired_ends = ranges_.unpaired_ends();
    list.range = range_.finish(clock);
    for (uint32_t number = 0; number < phases_.size(); ++number) {
        PhaseInfo& info = phases_[number].info;
        if (info.occurrences == 0) continue;  // Outside the range.
        for (const Space& space : model.spaces) {
            PhaseFigures figures = spaces_.at(space.name)->figures(number);
            figures.peak_time_ns = clock.ns(figures.peak_time_ns);
            info.spaces.emplace_back(space.name, figures);
        }
        info.first_begin_ns = phases_[number].time.first_begin_ns(clock);
        info.duration_ns = phases_[number].time.duration_ns(clock);
        list.phases.push_back(std::move(info));
    }
    // Numbers are in the order of begins, but a phase may begin in the range after it began before.
    const auto earlier = [](const auto& one, const auto& other) {
        return one.first_begin_ns < other.first_begin_ns;
    };
    if (list.range) std::stable_sort(list.phases.begin(), list.phases.end(), earlier);
    if (nameless_ == 0) return;
    problems.remark("phases", fmt::format("There are more than {} names; {} of others are the "
                                          "phase \"{}\".",
                                          exact_count(each_ ? each_max : names_max),
                                          counted(nameless_, "occurrence"), further_names));
}

}  // namespace memtrace::analyzer
