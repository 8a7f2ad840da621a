// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/single_phase.h"

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/phases/phase_list.h"
#include "analyzer/phases/phases_before.h"

namespace memtrace::analyzer {

std::unique_ptr<PhaseObserver> make_phase_observer(const PhaseRequest& request) {
    if (request.list) return std::make_unique<AllPhases>(request);
    if (!request.only.empty() || request.has_range()) return std::make_unique<SinglePhase>(request);
    return nullptr;
}

void SinglePhase::go_on_after(const PhasesBefore& before) {
    if (is_all_) return;
    for (const PhaseBefore& phase : before.phases()) {
        if (names_.size() < AllPhases::names_max) names_.insert(phase.name);
    }
    ranges_ = before.ranges();
    ranges_.renumber_open([&](uint32_t phase) {
        const bool is_ours = before.matches(pattern_, phase) == PhasesBefore::Answer::yes;
        open_ += is_ours;
        return is_ours ? 1u : 0u;
    });
    // How often it had occurred by then is not known; that it had is all that is asked.
    matched_ = before.began(pattern_) == PhasesBefore::Answer::no ? 0 : 1;
}

void SinglePhase::go_on_from_start(
    uint64_t time, const std::function<void(const std::string&, PhaseSites&)>& of_space) {
    range_.begin(time);
    info_.occurrences = 1;
    time_.begin(time);
    for (auto& [name, sites] : spaces_) of_space(name, *sites);
}

SpaceObserver* SinglePhase::observe(const std::string& space) {
    std::unique_ptr<PhaseSites>& observer = spaces_[space];
    observer = std::make_unique<PhaseSites>();
    if (is_open()) observer->open(time_.since());
    return observer.get();
}

void SinglePhase::on(const Mark& mark, uint32_t thread) {
    if (is_all_) return;
    const std::string name = full_name(mark);
    if (mark.kind == MarkKind::end) {
        const auto is_ours = ranges_.end(mark, name, thread);
        if (is_ours == 1u && --open_ == 0 && range_.is_open()) close(mark.time);
        return;
    }
    const bool is_mark = mark.kind == MarkKind::mark;
    if (!is_mark && mark.kind != MarkKind::begin) return;  // The kind is newer than this program.
    const bool is_ours = pattern_.matches(name);
    if (!is_mark) ranges_.begin(mark, name, thread, is_ours);
    if (!is_ours) {
        if (names_.size() < AllPhases::names_max) names_.insert(grouped_name(name));
        return;
    }
    matched_ += 1;
    info_.occurrences += range_.is_open();
    if (open_ == 0 && range_.is_open()) open(mark.time);
    if (!is_mark) open_ += 1;
    else if (open_ == 0 && range_.is_open()) close(mark.time);
}

void SinglePhase::open(uint64_t time) {
    time_.begin(time);
    for (auto& [name, space] : spaces_) space->open(time);
    if (listener_.opened) listener_.opened(time);
}

void SinglePhase::close(uint64_t time) {
    time_.end(time);
    for (auto& [name, space] : spaces_) space->close();
    if (listener_.closed) listener_.closed(time);
}

// The occurrences that are open already count, too.
void SinglePhase::begin_range(uint64_t time) {
    range_.begin(time);
    if (!is_open()) return;
    info_.occurrences += is_all_ ? 1 : open_;
    open(time);
}

void SinglePhase::end_range(uint64_t time) {
    if (is_open()) close(time);
    range_.end(time);
}

void SinglePhase::end(uint64_t time) {
    if (is_open()) {
        info_.open = !is_all_;
        close(time);
    }
    if (range_.is_open()) range_.end(time);
}

void SinglePhase::end_work() {
    if (!lasts_till_end_ || !is_open()) return;
    for (auto& [name, space] : spaces_) space->end_work();
    if (listener_.work_ended) listener_.work_ended();
}

// Returns why the recording has nothing of what was requested.
std::string SinglePhase::why_none() const {
    if (matched_ == 0) return unknown_phase("--phase", pattern_.text(), names_);
    return fmt::format("--phase {}: the phase does not occur in the range; it begins {} outside it",
                       printable(pattern_.text()), counted(matched_, "time"));
}

void SinglePhase::finish(Model& model, const TickClock& clock, Problems&) {
    if (info_.occurrences == 0) throw Error(why_none());
    info_.asked = pattern_.text();
    info_.first_begin_ns = time_.first_begin_ns(clock);
    info_.duration_ns = time_.duration_ns(clock);
    info_.range = range_.finish(clock);
    model.phase = info_;
}

}  // namespace memtrace::analyzer
