// SPDX-License-Identifier: Apache-2.0
#include "analyzer/watch/tensor_watcher.h"

#include <algorithm>
#include <utility>

#include <tsl/robin_map.h>

#include "analyzer/base/number_hash.h"
#include "analyzer/model/run_watch.h"

namespace memtrace::analyzer {

class TensorWatcher::OfSpace final : public SpaceObserver {
public:
    OfSpace(TensorWatcher& whole, const std::string& name)
        : whole_(whole), space_(static_cast<uint32_t>(whole.found_.spaces.size())) {
        whole.found_.spaces.push_back(name);
        const auto found = whole.request_.sites.find(name);
        if (found != whole.request_.sites.end()) roles_ = &found->second;
    }

private:
    void acquired(const ObservedChange& change, uint64_t, uint64_t time) override {
        if (change.is_group || roles_ == nullptr || change.site >= roles_->size()) return;
        const SiteRole role = (*roles_)[change.site];
        whole_.see(role);
        if (role.is_tensor) {
            begin(tensors_, change, time);
        } else if (role.is_other) {
            begin(others_, change, time);
        }
    }

    void released(const ObservedChange& change, bool) override {
        if (change.is_group || roles_ == nullptr || change.site >= roles_->size()) return;
        const SiteRole role = (*roles_)[change.site];
        if (role.is_tensor) {
            end(tensors_, change);
        } else if (role.is_other) {
            end(others_, change);
        }
    }

    struct Followed {
        std::vector<TensorLife>& lives;
        tsl::robin_map<uint64_t, size_t, NumberHash> alive = {};  // places in the lives, by number
    };

    void begin(Followed& followed, const ObservedChange& change, uint64_t time) {
        if (followed.lives.size() == lives_max) {
            whole_.found_.left_out += 1;
            return;
        }
        followed.alive[change.number] = followed.lives.size();
        followed.lives.push_back({.born = time,
                                  .bytes = change.bytes,
                                  .address = whole_.position_->address(),
                                  .site = change.site,
                                  .space = space_});
    }

    void end(Followed& followed, const ObservedChange& change) {
        const auto found = followed.alive.find(change.number);
        if (found == followed.alive.end()) return;
        TensorLife& life = followed.lives[found->second];
        if (change.blocks == 0) {
            life.bytes -= std::min(life.bytes, change.bytes);
        } else {
            life.died = whole_.position_->time();
            followed.alive.erase(found);
        }
    }

    TensorWatcher& whole_;
    const uint32_t space_;
    const std::vector<SiteRole>* roles_ = nullptr;
    Followed tensors_{whole_.found_.lives};
    Followed others_{whole_.found_.others};
};

TensorWatcher::TensorWatcher(TensorRequest request) : request_(std::move(request)) {
    for (const auto& [space, roles] : request_.sites) {
        has_stages_ |= std::any_of(roles.begin(), roles.end(), [](const SiteRole& role) {
            return role.is_tensor &&
                   (role.stage == TrainingStage::forward || role.stage == TrainingStage::optimiser);
        });
    }
}

TensorWatcher::~TensorWatcher() = default;

SpaceObserver* TensorWatcher::observe(const std::string& space) {
    std::unique_ptr<OfSpace>& found = spaces_[space];
    found = std::make_unique<OfSpace>(*this, space);
    return found.get();
}

void TensorWatcher::on(const Mark& mark, uint32_t) {
    found_.marks.push_back({std::string(mark.text), position_->time()});
}

void TensorWatcher::see(const SiteRole& role) {
    if (role.stage != TrainingStage::none && role.has_python) {
        has_thread_ = true;
        thread_ = position_->thread();
    }
    if (role.stage == TrainingStage::backward) {
        if (is_in_run_) return;
        is_in_run_ = true;
        if (has_gone_on_) found_.runs.push_back({position_->time(), position_->time()});
        has_gone_on_ = false;
        return;
    }
    if (!has_thread_ || position_->thread() != thread_) return;
    if (is_in_run_) found_.runs.back().end = position_->time();
    is_in_run_ = false;
    // Setting gradients to zero makes no tensor.
    if (role.stage == TrainingStage::optimiser && role.is_tensor && !found_.runs.empty())
        found_.runs.back().is_learned = true;
    // A program of plain tensors computes wherever it likes.
    has_gone_on_ |=
        role.stage != TrainingStage::none || (!has_stages_ && role.is_tensor && role.has_python);
}

void TensorWatcher::end(uint64_t time) {
    if (is_in_run_) found_.runs.back().end = time;
    is_in_run_ = false;
}

void TensorWatcher::finish(Model& model, const TickClock& clock, Problems&) {
    for (std::vector<TensorLife>* lives : {&found_.lives, &found_.others}) {
        for (TensorLife& life : *lives) {
            life.born = clock.ns(life.born);
            if (life.died != TensorLife::never) life.died = clock.ns(life.died);
        }
    }
    for (BackwardRun& run : found_.runs) {
        run.begin = clock.ns(run.begin);
        run.end = clock.ns(run.end);
    }
    for (MarkedMoment& mark : found_.marks) mark.time = clock.ns(mark.time);
    auto watch = std::make_shared<RunWatch>();
    watch->tensors = std::make_shared<TensorLives>(std::move(found_));
    model.watch = std::move(watch);
}

}  // namespace memtrace::analyzer
