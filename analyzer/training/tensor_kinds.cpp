// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/tensor_kinds.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace memtrace::analyzer {
namespace {

constexpr std::array names = {
#define MEMTRACE_TRAINING_KIND(word, name, what) KindName{#word, name, what},
#include "analyzer/training/training_kinds.def"
};

class Judge {
public:
    Judge(const TensorLives& tensors, const TrainingSites& sites,
          const std::vector<size_t>& space_of)
        : tensors_(tensors), sites_(sites), space_of_(space_of), runs_(tensors.runs) {}

    std::vector<TrainingKind> run() {
        learn_sizes();
        std::vector<TrainingKind> kinds;
        kinds.reserve(tensors_.lives.size());
        for (const TensorLife& life : tensors_.lives) kinds.push_back(judge(life));
        return kinds;
    }

private:
    const SiteFacts& facts_of(const TensorLife& life) const {
        return sites_.of(space_of_[life.space], life.site);
    }

    // The run that the moment lies in, or the last before it; -1: none.
    std::ptrdiff_t run_at(uint64_t time) const {
        const auto next = std::upper_bound(
            runs_.begin(), runs_.end(), time,
            [](uint64_t moment, const BackwardRun& run) { return moment < run.begin; });
        return next - runs_.begin() - 1;
    }

    bool is_in(std::ptrdiff_t run, uint64_t time) const {
        return run >= 0 && time < runs_[static_cast<size_t>(run)].end;
    }

    // True if the block is still there when the run after the moment of its birth begins. Without
    // such a run: if it is alive at the end.
    bool lives_into_next_run(const TensorLife& life, std::ptrdiff_t run, size_t more = 1) const {
        const size_t next = static_cast<size_t>(run + static_cast<std::ptrdiff_t>(more));
        if (next >= runs_.size()) return life.died == TensorLife::never;
        return life.died > runs_[next].begin;
    }

    // Sizes of gradients tell which tensors are learned, and sizes of parameters which are states
    // of an optimiser that somebody wrote by hand.
    void learn_sizes() {
        for (const TensorLife& life : tensors_.lives) {
            const SiteFacts& facts = facts_of(life);
            const std::ptrdiff_t run = run_at(life.born);
            if (facts.is_in_backward && is_in(run, life.born) &&
                facts.code != TrainingCode::forward &&
                life.died > runs_[static_cast<size_t>(run)].end) {
                gradient_sizes_.insert(life.bytes);
            }
            if (run < 0 && is_made_by_module(facts)) parameter_sizes_.insert(life.bytes);
        }
    }

    static bool is_made_by_module(const SiteFacts& facts) {
        return facts.code == TrainingCode::pytorch_module ||
               facts.code == TrainingCode::initialise || facts.code == TrainingCode::move ||
               facts.code == TrainingCode::norm_module;
    }

    TrainingKind judge(const TensorLife& life) {
        const SiteFacts& facts = facts_of(life);
        const std::ptrdiff_t run = run_at(life.born);
        if (facts.is_reducer) return TrainingKind::gradient;
        // An optimiser may run inside of the backward pass, as soon as a gradient is there.
        if (facts.is_in_backward && facts.code != TrainingCode::optimiser) {
            return of_backward(life, facts, run);
        }
        switch (facts.code) {
            case TrainingCode::optimiser:
                return lives_into_next_run(life, run) ? TrainingKind::optimiser_state
                                                      : TrainingKind::temporary;
            case TrainingCode::loader: return TrainingKind::input;
            case TrainingCode::forward:
                seen_forward_of_ = run;
                return lives_into_next_run(life, run) ? TrainingKind::activation
                                                      : TrainingKind::temporary;
            default: break;
        }
        if (run < 0) return of_start(life, facts);
        return of_loop(life, facts, run);
    }

    TrainingKind of_backward(const TensorLife& life, const SiteFacts& facts,
                             std::ptrdiff_t run) const {
        // Checkpointing goes forward once more.
        if (facts.code == TrainingCode::forward) return TrainingKind::activation;
        if (run < 0) return TrainingKind::unknown;
        return life.died > runs_[static_cast<size_t>(run)].end ? TrainingKind::gradient
                                                               : TrainingKind::autograd;
    }

    // Before the first backward pass, and not in a forward.
    TrainingKind of_start(const TensorLife& life, const SiteFacts& facts) {
        const bool stays = lives_into_next_run(life, -1, runs_.size() > 1 ? 2 : 1);
        if (!stays) {
            if (!lives_into_next_run(life, -1)) return TrainingKind::temporary;
            return goes_forward(facts, -1) ? TrainingKind::activation : TrainingKind::input;
        }
        switch (facts.code) {
            case TrainingCode::norm_module:
                return facts.is_filled ? TrainingKind::buffer : TrainingKind::parameter;
            case TrainingCode::pytorch_module:
            case TrainingCode::initialise:
            case TrainingCode::move: return TrainingKind::parameter;
            case TrainingCode::user_module:
                return gradient_sizes_.contains(life.bytes) ? TrainingKind::parameter
                                                            : TrainingKind::buffer;
            default: break;
        }
        // Weights from a file, and parameters of programs without modules.
        const bool is_learned = gradient_sizes_.contains(life.bytes);
        if (is_learned &&
            (facts.code == TrainingCode::loaded || !parameter_sizes_.contains(life.bytes))) {
            return TrainingKind::parameter;
        }
        return is_state(life, facts) ? TrainingKind::optimiser_state : TrainingKind::input;
    }

    // Between two backward passes, and not in a forward.
    TrainingKind of_loop(const TensorLife& life, const SiteFacts& facts, std::ptrdiff_t run) {
        if (!lives_into_next_run(life, run)) return TrainingKind::temporary;
        if (lives_into_next_run(life, run, 3) && is_state(life, facts)) {
            return TrainingKind::optimiser_state;
        }
        return goes_forward(facts, run) ? TrainingKind::activation : TrainingKind::input;
    }

    // Momentum and averages begin with zeros or with copies. Random numbers are data.
    bool is_state(const TensorLife& life, const SiteFacts& facts) const {
        return (facts.is_filled || !facts.is_made) && parameter_sizes_.contains(life.bytes);
    }

    // True if a tensor that no known function made is one that the model computed: the model went
    // forward since this run. Where nothing is known to go forward, whatever is computed is.
    bool goes_forward(const SiteFacts& facts, std::ptrdiff_t run) const {
        return !facts.is_made && (seen_forward_of_ == run || !sites_.has_forward());
    }

    const TensorLives& tensors_;
    const TrainingSites& sites_;
    const std::vector<size_t>& space_of_;
    const std::vector<BackwardRun>& runs_;
    std::unordered_set<uint64_t> gradient_sizes_;
    std::unordered_set<uint64_t> parameter_sizes_;
    std::ptrdiff_t seen_forward_of_ = -2;  // the run after which the model went forward last
};

}  // namespace

KindName name_of(TrainingKind kind) { return names[static_cast<size_t>(kind)]; }

std::vector<TrainingKind> tensor_kinds(const TensorLives& tensors, const TrainingSites& sites,
                                       const std::vector<size_t>& space_of) {
    return Judge(tensors, sites, space_of).run();
}

}  // namespace memtrace::analyzer
