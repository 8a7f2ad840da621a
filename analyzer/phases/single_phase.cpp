// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/single_phase.h"

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/phases/phase_list.h"

namespace memtrace::analyzer {

std::unique_ptr<PhaseObserver> make_phase_observer(const PhaseRequest& request) {
    if (!request.only.empty()) return std::make_unique<SinglePhase>(request.only);
    if (request.list) return std::make_unique<AllPhases>(request.each);
    return nullptr;
}

SpaceObserver* SinglePhase::observe(const std::string& space) {
    std::unique_ptr<PhaseSites>& observer = spaces_[space];
    observer = std::make_unique<PhaseSites>();
    if (open_ != 0) observer->open(time_.since());
    return observer.get();
}

void SinglePhase::on(const Mark& mark, uint32_t thread) {
    const std::string name = full_name(mark);
    if (mark.kind == MarkKind::end) {
        const auto is_ours = ranges_.end(mark, name, thread);
        if (is_ours == 1u && --open_ == 0) close(mark.time);
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
    info_.occurrences += 1;
    if (open_ == 0) open(mark.time);
    if (!is_mark) open_ += 1;
    else if (open_ == 0) close(mark.time);
}

void SinglePhase::open(uint64_t time) {
    time_.begin(time);
    for (auto& [name, space] : spaces_) space->open(time);
}

void SinglePhase::close(uint64_t time) {
    time_.end(time);
    for (auto& [name, space] : spaces_) space->close();
}

void SinglePhase::end(uint64_t time) {
    if (open_ == 0) return;
    info_.open = true;
    close(time);
}

std::string SinglePhase::unknown_phase() const {
    const std::string asked = printable(pattern_.text());
    if (names_.empty()) {
        return fmt::format(
            "--phase {}: this recording has no phases; a program begins them with "
            "memtrace.h or NVTX",
            asked);
    }
    std::string nearest;
    for (const std::string& name : nearest_names(pattern_.text(), {names_.begin(), names_.end()})) {
        nearest += fmt::format("{}\"{}\"", nearest.empty() ? "" : ", ", printable(name));
    }
    return fmt::format(
        "--phase {}: no phase has this name; the nearest of {}: {} "
        "(memtrace-report phases lists all)",
        asked, names_.size(), nearest);
}

void SinglePhase::finish(Model& model, const TickClock& clock, Problems&) {
    if (info_.occurrences == 0) throw Error(unknown_phase());
    info_.asked = pattern_.text();
    info_.first_begin_ns = time_.first_begin_ns(clock);
    info_.duration_ns = time_.duration_ns(clock);
    model.phase = info_;
    std::erase_if(model.spaces, [](const Space& space) { return space.sites.empty(); });
}

}  // namespace memtrace::analyzer
