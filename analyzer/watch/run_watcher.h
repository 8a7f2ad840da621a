// SPDX-License-Identifier: Apache-2.0
//
// Watches all spaces of a run for a report, beside what phases want to know (phase_observer.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "analyzer/base/tick_clock.h"
#include "analyzer/phases/phase_observer.h"
#include "analyzer/watch/space_watcher.h"
#include "analyzer/watch/watch_request.h"

namespace memtrace::analyzer {

class RunWatcher final : public PhaseObserver {
public:
    // `clock` must be settled if the request needs one, and is not needed otherwise.
    RunWatcher(WatchRequest request, const PhaseRequest& phases, std::optional<TickClock> clock);
    ~RunWatcher() override;

    void follow(ReplayPosition& position) override { position_ = &position; }
    void go_on_after(const PhasesBefore& before) override {
        if (phases_ != nullptr) phases_->go_on_after(before);
    }
    void end_work() override;
    SpaceObserver* observe(const std::string& space) override;
    void on(const Mark& mark, uint32_t thread) override;
    void name_steps(const std::string& from, const std::string& to) override {
        if (phases_ != nullptr) phases_->name_steps(from, to);
    }
    void begin_range(uint64_t time) override;
    void end_range(uint64_t time) override;
    void end(uint64_t time) override;
    void finish(Model& model, const TickClock& clock, Problems& problems) override;

private:
    void end_work_of_spaces();
    void open(uint64_t time);
    void close(uint64_t time);

    WatchRequest request_;
    std::optional<TickClock> clock_;
    ReplayPosition* position_ = nullptr;
    std::unique_ptr<PhaseObserver> phases_;  // nullptr: nothing was requested of phases
    bool is_range_;                          // A phase or range is all that counts.
    bool is_open_;
    uint64_t opened_ = 0;  // when, in ticks
    uint64_t ended_ = 0;   // the same
    std::map<std::string, std::unique_ptr<SpaceWatcher>> spaces_;
};

}  // namespace memtrace::analyzer
