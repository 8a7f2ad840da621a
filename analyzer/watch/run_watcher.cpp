// SPDX-License-Identifier: Apache-2.0
#include "analyzer/watch/run_watcher.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "analyzer/model/run_watch.h"

namespace memtrace::analyzer {

namespace {

// Returns the times in which events are missing, those that overlap as one.
std::vector<LostTime> lost_times(const Problems& problems, const TickClock& clock, uint64_t end) {
    std::vector<LostTime> times;
    for (const Problems::LostTime& lost : problems.lost_times()) {
        times.push_back({clock.ns(std::min(lost.since, end)), clock.ns(std::min(lost.until, end))});
    }
    std::sort(times.begin(), times.end(),
              [](const LostTime& a, const LostTime& b) { return a.begin_ns < b.begin_ns; });
    std::vector<LostTime> merged;
    for (const LostTime& time : times) {
        if (merged.empty() || time.begin_ns > merged.back().end_ns) merged.push_back(time);
        else merged.back().end_ns = std::max(merged.back().end_ns, time.end_ns);
    }
    return merged;
}

}  // namespace

RunWatcher::RunWatcher(WatchRequest request, const PhaseRequest& phases,
                       std::optional<TickClock> clock)
    : request_(std::move(request)),
      clock_(std::move(clock)),
      phases_(make_phase_observer(phases)),
      is_range_(!phases.only.empty() || phases.has_range()),
      is_open_(!is_range_) {
    if (phases_ == nullptr) return;
    phases_->listen({[this](uint64_t time) { open(time); }, [this](uint64_t time) { close(time); },
                     [this] { end_work_of_spaces(); }});
}

RunWatcher::~RunWatcher() = default;

void RunWatcher::end_work() {
    if (phases_ != nullptr) phases_->end_work();
    if (!is_range_) end_work_of_spaces();
}

void RunWatcher::end_work_of_spaces() {
    for (auto& [name, space] : spaces_) space->end_work();
}

SpaceObserver* RunWatcher::observe(const std::string& space) {
    SpaceObserver* const next = phases_ != nullptr ? phases_->observe(space) : nullptr;
    const SpaceWatcher::Place place{request_, clock_ ? &*clock_ : nullptr, *position_, is_range_};
    std::unique_ptr<SpaceWatcher>& watcher = spaces_[space];
    watcher = std::make_unique<SpaceWatcher>(space, place, next);
    if (is_open_) watcher->open(opened_);
    return watcher.get();
}

void RunWatcher::on(const Mark& mark, uint32_t thread) {
    if (phases_ != nullptr) phases_->on(mark, thread);
}

void RunWatcher::begin_range(uint64_t time) {
    if (phases_ != nullptr) phases_->begin_range(time);
}

void RunWatcher::end_range(uint64_t time) {
    if (phases_ != nullptr) phases_->end_range(time);
}

void RunWatcher::open(uint64_t time) {
    is_open_ = true;
    opened_ = time;
    for (auto& [name, space] : spaces_) space->open(time);
}

void RunWatcher::close(uint64_t time) {
    is_open_ = false;
    for (auto& [name, space] : spaces_) space->close(time);
}

void RunWatcher::end(uint64_t time) {
    if (phases_ != nullptr) phases_->end(time);
    if (is_open_) close(time);
    ended_ = time;
}

void RunWatcher::finish(Model& model, const TickClock& clock, Problems& problems) {
    if (phases_ != nullptr) phases_->finish(model, clock, problems);
    auto watch = std::make_shared<RunWatch>();
    for (auto& [name, space] : spaces_) watch->spaces[name] = space->take_result(clock);
    watch->lost = lost_times(problems, clock, ended_);
    model.watch = std::move(watch);
}

}  // namespace memtrace::analyzer
