// SPDX-License-Identifier: Apache-2.0
//
// Follows the tensors of a training from their births to their deaths, and finds the runs of its
// backward pass.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/phases/phase_observer.h"
#include "analyzer/watch/tensor_request.h"

namespace memtrace::analyzer {

class TensorWatcher final : public PhaseObserver {
public:
    explicit TensorWatcher(TensorRequest request);
    ~TensorWatcher() override;

    bool needs_figures() const override { return false; }
    void follow(ReplayPosition& position) override { position_ = &position; }
    SpaceObserver* observe(const std::string& space) override;
    void on(const Mark& mark, uint32_t thread) override;
    void begin_range(uint64_t) override {}
    void end_range(uint64_t) override {}
    void end(uint64_t time) override;
    void finish(Model& model, const TickClock& clock, Problems& problems) override;

private:
    class OfSpace;

    // 56 bytes each: more would take more memory than a report may.
    static constexpr size_t lives_max = 40'000'000;

    // An acquisition of this role, for the runs of the backward pass.
    void see(const SiteRole& role);

    TensorRequest request_;
    ReplayPosition* position_ = nullptr;
    std::map<std::string, std::unique_ptr<OfSpace>> spaces_;
    TensorLives found_;        // times in ticks until finish()
    bool has_stages_ = false;  // Functions of the program are known to go forward, or to optimise.
    bool is_in_run_ = false;
    bool has_gone_on_ = true;  // a forward or an optimiser's acquisition since the last run
    bool has_thread_ = false;
    uint32_t thread_ = 0;  // the thread that trains
};

}  // namespace memtrace::analyzer
