// SPDX-License-Identifier: Apache-2.0
#include "analyzer/watch/run_watcher.h"

#include <utility>

#include "analyzer/model/run_watch.h"

namespace memtrace::analyzer {

RunWatcher::RunWatcher(WatchRequest request, const PhaseRequest& phases,
                       std::optional<TickClock> clock)
    : request_(std::move(request)),
      clock_(std::move(clock)),
      phases_(make_phase_observer(phases)),
      is_range_(!phases.only.empty() || phases.has_range()),
      is_open_(!is_range_) {
    if (phases_ == nullptr) return;
    phases_->listen(
        {[this](uint64_t time) { open(time); }, [this](uint64_t time) { close(time); }});
}

RunWatcher::~RunWatcher() = default;

void RunWatcher::end_work() {
    if (phases_ != nullptr) phases_->end_work();
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
}

void RunWatcher::finish(Model& model, const TickClock& clock, Problems& problems) {
    if (phases_ != nullptr) phases_->finish(model, clock, problems);
    auto watch = std::make_shared<RunWatch>();
    for (auto& [name, space] : spaces_) watch->spaces[name] = space->take_result(clock);
    model.watch = std::move(watch);
}

}  // namespace memtrace::analyzer
