// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/tensor_kinds.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

namespace memtrace::analyzer {
namespace {

constexpr std::array names = {
#define MEMTRACE_TRAINING_KIND(word, name, what) KindName{#word, name, what},
#include "analyzer/training/training_kinds.def"
};

using NumberBySize = std::unordered_map<uint64_t, int64_t>;

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
        std::map<std::pair<std::ptrdiff_t, uint64_t>, int64_t> gradients;  // by run and size
        std::unordered_map<uint64_t, int64_t> sure;                        // parameters, by size
        for (const TensorLife& life : tensors_.lives) {
            const SiteFacts& facts = facts_of(life);
            const std::ptrdiff_t run = run_at(life.born);
            if (facts.is_in_backward && is_in(run, life.born) &&
                facts.code != TrainingCode::forward &&
                life.died > runs_[static_cast<size_t>(run)].end) {
                int64_t& spare = spare_gradients_[life.bytes];
                spare = std::max(spare, ++gradients[{run, life.bytes}]);
            }
            if (run < 0 && is_made_by_module(facts)) parameter_sizes_.insert(life.bytes);
            if (run < 0 && (is_made_by_module(facts) || facts.is_parameter) &&
                lives_into_next_run(life, run)) {
                sure[life.bytes] += 1;
            }
            if (is_like_state(life, facts)) state_sizes_[run][life.bytes] += 1;
            if (is_like_renewed(life, facts, run)) renewed_sizes_[run][life.bytes] += 1;
        }
        gradient_sizes_ = spare_gradients_;
        for (auto& [bytes, spare] : spare_gradients_) spare -= sure[bytes];
    }

    // True if a gradient has the size that belongs to no parameter so far.
    bool takes_gradient(const TensorLife& life) {
        const auto found = spare_gradients_.find(life.bytes);
        if (found == spare_gradients_.end() || found->second <= 0) return false;
        found->second -= 1;
        return true;
    }

    static bool is_made_by_module(const SiteFacts& facts) {
        return facts.code == TrainingCode::pytorch_module ||
               facts.code == TrainingCode::initialise || facts.code == TrainingCode::move ||
               facts.code == TrainingCode::norm_module;
    }

    TrainingKind judge(const TensorLife& life) {
        const SiteFacts& facts = facts_of(life);
        const std::ptrdiff_t run = run_at(life.born);
        const bool is_forward = facts.code == TrainingCode::forward;
        if (facts.is_recorded.value_or(is_forward)) seen_forward_of_ = run;
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
            case TrainingCode::forward: return of_forward(life, facts, run);
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

    TrainingKind of_forward(const TensorLife& life, const SiteFacts& facts,
                            std::ptrdiff_t run) const {
        if (!lives_into_next_run(life, run)) return TrainingKind::temporary;
        // A table that the first forward pass makes for all later ones.
        const bool is_table = run <= 0 && !facts.is_recorded.value_or(true) &&
                              life.died == TensorLife::never && lives_into_next_run(life, run, 3);
        return is_table ? TrainingKind::buffer : TrainingKind::activation;
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
                return facts.is_parameter || takes_gradient(life) ? TrainingKind::parameter
                                                                  : TrainingKind::buffer;
            default: break;
        }
        if (facts.is_parameter) return TrainingKind::parameter;
        // Weights from a file, and parameters of programs without modules.
        const bool is_learned = gradient_sizes_.contains(life.bytes);
        if (is_learned &&
            (facts.code == TrainingCode::loaded || !parameter_sizes_.contains(life.bytes))) {
            return TrainingKind::parameter;
        }
        return is_state(life, facts, -1) ? TrainingKind::optimiser_state : TrainingKind::input;
    }

    // Between two backward passes, and not in a forward.
    TrainingKind of_loop(const TensorLife& life, const SiteFacts& facts, std::ptrdiff_t run) {
        if (!lives_into_next_run(life, run)) return TrainingKind::temporary;
        if (lives_into_next_run(life, run, 3) && is_state(life, facts, run)) {
            return TrainingKind::optimiser_state;
        }
        if (const auto kind = renewed(life, facts, run)) return *kind;
        return goes_forward(facts, run) ? TrainingKind::activation : TrainingKind::input;
    }

    // Momentum and averages begin with zeros or with copies. Random numbers are data.
    bool is_like_state(const TensorLife& life, const SiteFacts& facts) const {
        return facts.code == TrainingCode::none && (facts.is_filled || !facts.is_made) &&
               !facts.is_in_backward && lives_into_next_run(life, run_at(life.born), 3);
    }

    // There are states for most of the sizes that are learned, made at about the same time.
    bool is_state(const TensorLife& life, const SiteFacts& facts, std::ptrdiff_t run) const {
        if ((!facts.is_filled && facts.is_made) || !parameter_sizes_.contains(life.bytes)) {
            return false;
        }
        const auto found = state_sizes_.find(run);
        return found != state_sizes_.end() && covers_gradients(found->second);
    }

    // True if at least half of the gradients' bytes, and half of the sizes that gradients have, are
    // among these. Sizes alone say little on a GPU, whose allocator rounds them up to 512 bytes.
    bool covers_gradients(const NumberBySize& sizes) const {
        uint64_t all = 0, met = 0;
        size_t sizes_met = 0;
        for (const auto& [bytes, number] : gradient_sizes_) {
            const auto found = sizes.find(bytes);
            all += bytes * static_cast<uint64_t>(number);
            if (found == sizes.end()) continue;
            met += bytes * static_cast<uint64_t>(std::min(number, found->second));
            sizes_met += 1;
        }
        return sizes_met > 0 && met * 2 >= all && sizes_met * 2 >= gradient_sizes_.size();
    }

    // Computed between two backward passes without the graph, for the next one.
    bool is_like_renewed(const TensorLife& life, const SiteFacts& facts, std::ptrdiff_t run) const {
        return run >= 0 && facts.code == TrainingCode::none && !facts.is_made &&
               !facts.is_in_backward && !facts.is_recorded.value_or(false) &&
               lives_into_next_run(life, run);
    }

    // Weights that are not changed in place, but replaced by new ones in each step. Beside an
    // optimiser they are averages.
    std::optional<TrainingKind> renewed(const TensorLife& life, const SiteFacts& facts,
                                        std::ptrdiff_t run) const {
        const auto gradient = gradient_sizes_.find(life.bytes);
        if (gradient == gradient_sizes_.end() || !is_like_renewed(life, facts, run)) return {};
        const NumberBySize& sizes = renewed_sizes_.at(run);
        if (gradient_sizes_.size() < 2 || !covers_gradients(sizes)) return {};
        if (sites_.has_optimiser()) return TrainingKind::optimiser_state;
        const bool are_all = sizes.at(life.bytes) <= gradient->second;
        return are_all ? TrainingKind::parameter : TrainingKind::unknown;
    }

    // True if a tensor that no known function made is one that the model computed: it is part of
    // the graph, or the model went forward since this run. Where nothing is known to go forward,
    // whatever is computed is.
    bool goes_forward(const SiteFacts& facts, std::ptrdiff_t run) const {
        if (facts.is_recorded.value_or(false)) return true;
        const bool is_told = sites_.has_forward() || facts.is_recorded.has_value();
        return !facts.is_made && (seen_forward_of_ == run || !is_told);
    }

    const TensorLives& tensors_;
    const TrainingSites& sites_;
    const std::vector<size_t>& space_of_;
    const std::vector<BackwardRun>& runs_;
    NumberBySize gradient_sizes_;  // of a backward pass: number of each
    std::unordered_set<uint64_t> parameter_sizes_;
    // By size: gradients of one backward pass that belong to no parameter of PyTorch's modules.
    NumberBySize spare_gradients_;
    // By the run before: number of what may be states, by size.
    std::map<std::ptrdiff_t, NumberBySize> state_sizes_;
    // By the run before: number of what may replace a weight, by size.
    std::map<std::ptrdiff_t, NumberBySize> renewed_sizes_;
    std::ptrdiff_t seen_forward_of_ = -2;  // the run after which the model went forward last
};

}  // namespace

KindName name_of(TrainingKind kind) { return names[static_cast<size_t>(kind)]; }

std::vector<TrainingKind> tensor_kinds(const TensorLives& tensors, const TrainingSites& sites,
                                       const std::vector<size_t>& space_of) {
    return Judge(tensors, sites, space_of).run();
}

}  // namespace memtrace::analyzer
