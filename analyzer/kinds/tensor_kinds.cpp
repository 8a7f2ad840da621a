// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/tensor_kinds.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "analyzer/kinds/exchanged_weights.h"
#include "analyzer/kinds/frozen_answers.h"
#include "analyzer/kinds/kept_results.h"
#include "analyzer/kinds/learned_sizes.h"
#include "analyzer/kinds/life_facts.h"
#include "analyzer/kinds/training_rounds.h"
#include "analyzer/kinds/weight_updates.h"

namespace memtrace::analyzer {
namespace {

constexpr std::array names = {
#define MEMTRACE_TRAINING_KIND(word, name, what) KindName{#word, name, what},
#include "analyzer/kinds/training_kinds.def"
};

class Judge {
public:
    Judge(const LifeFacts& lives, const std::vector<uint64_t>& rounds)
        : lives_(lives),
          sizes_(lives),
          updates_(lives, sizes_.model()),
          rounds_(lives, rounds),
          releases_(releases_of_runs(lives)),
          results_(lives, rounds_, releases_),
          answers_(lives, releases_),
          exchanged_(find_exchanged_weights(lives)),
          trained_copies_(find_trained_copies(lives)),
          replaced_buffers_(find_replaced_buffers(lives)) {
        has_exchanged_ = std::any_of(exchanged_.begin(), exchanged_.end(),
                                     [](uint64_t from) { return from != TensorLife::never; });
        count_loads();
    }

    void run(TrainingKinds& kinds) {
        kinds.of_lives.reserve(lives_.all().size());
        for (size_t i = 0; i < lives_.all().size(); ++i) {
            kinds.of_lives.push_back(judge(i));
            kinds.later.push_back(later(i, kinds.of_lives[i]));
        }
        find_loaded_numbers(kinds.of_lives);
    }

private:
    // A file of weights has many tensors, and one of data has few.
    static constexpr size_t weights_min = 8;
    // Of a number, such as that of the steps so far, which a file has beside each state.
    static constexpr uint64_t number_bytes = 8;

    void count_loads() {
        for (const TensorLife& life : lives_.all()) {
            const SiteFacts& facts = lives_.facts(life);
            const std::ptrdiff_t run = lives_.run_at(life.born);
            if (facts.code == TrainingCode::loaded && lives_.stays(life, run))
                loads_[{life.space, life.site}] += 1;
            if (facts.code == TrainingCode::optimiser && sizes_.is_learned(life.bytes) &&
                lives_.lives_into_next_run(life, run))
                own_states_.push_back(life);
        }
    }

    // True if an optimiser has state of its own when it has learned for the first time after this
    // was loaded. What an earlier one had is gone by then, and a later one tells nothing of it.
    bool has_own_state_after(const TensorLife& load) const {
        const auto& runs = lives_.runs();
        auto run = static_cast<size_t>(lives_.run_at(load.born) + 1);
        while (run < runs.size() && !runs[run].is_learned) ++run;
        const uint64_t time = run + 1 < runs.size() ? runs[run + 1].begin : TensorLife::never;
        return std::any_of(own_states_.begin(), own_states_.end(), [=](const TensorLife& state) {
            return state.born < time && state.died >= time;
        });
    }

    // What a file has beside states, and is a single number, belongs to them.
    void find_loaded_numbers(std::vector<TrainingKind>& kinds) const {
        std::set<std::pair<uint32_t, std::ptrdiff_t>> with_states;  // by space, and the run before
        const auto each_load = [&](auto&& look) {
            for (size_t i = 0; i < kinds.size(); ++i) {
                const TensorLife& life = lives_.all()[i];
                if (lives_.facts(life).code == TrainingCode::loaded)
                    look(life, std::pair(life.space, lives_.run_at(life.born)), kinds[i]);
            }
        };
        each_load([&](const TensorLife&, const auto& load, TrainingKind kind) {
            if (kind == TrainingKind::optimiser_state) with_states.insert(load);
        });
        each_load([&](const TensorLife& life, const auto& load, TrainingKind& kind) {
            const bool is_kept = kind == TrainingKind::parameter || kind == TrainingKind::input;
            if (is_kept && life.bytes <= number_bytes && !sizes_.is_learned(life.bytes) &&
                with_states.contains(load))
                kind = TrainingKind::optimiser_state;
        });
    }

    LaterKind later(size_t i, TrainingKind first) const {
        if (is_exchanged(i)) return {TrainingKind::parameter, exchanged_[i]};
        if (const KeptResults::Compared* compared = results_.compared(i);
            compared != nullptr && first == TrainingKind::temporary)
            return {TrainingKind::activation, compared->from, compared->until};
        if (first != TrainingKind::activation && first != TrainingKind::unknown) return {};
        if (const uint64_t until = answers_.needed_until(i); until != TensorLife::never)
            return {TrainingKind::temporary, until};
        if (first == TrainingKind::unknown) return {};
        const KeptResults::Detached& detached = results_.outlive_graph()[i];
        return {detached.is_data ? TrainingKind::input : TrainingKind::temporary, detached.from};
    }

    // Where copies take the place of weights, what outlives these is an average or a state.
    bool outlives_module(const TensorLife& life) const {
        return !has_exchanged_ && sizes_.outlives_module(life);
    }

    bool is_exchanged(size_t i) const { return exchanged_[i] != TensorLife::never; }

    TrainingKind judge(size_t i) {
        const TensorLife& life = lives_.all()[i];
        const SiteFacts& facts = lives_.facts(life);
        const std::ptrdiff_t run = lives_.run_at(life.born);
        if (is_of_graph(facts)) seen_forward_of_ = run;
        if (facts.is_reducer) return TrainingKind::gradient;
        if (updates_.is_weight(i)) return TrainingKind::parameter;
        if (is_of_update(i, facts, run)) return TrainingKind::optimiser_state;
        // An optimiser may run inside of the backward pass, as soon as a gradient is there.
        if (facts.is_in_backward && facts.code != TrainingCode::optimiser) {
            return of_backward(life, facts, run);
        }
        if (trained_copies_.contains({life.space, life.site}) &&
            lives_.lives_into_next_run(life, run)) {
            return TrainingKind::parameter;
        }
        if (is_exchanged(i))  // until then, if it is a copy
            return facts.is_copied ? TrainingKind::optimiser_state : TrainingKind::parameter;
        if (replaced_buffers_[i] != 0) return TrainingKind::buffer;
        if (is_statistic(life, facts, run)) return TrainingKind::temporary;
        switch (facts.code) {
            case TrainingCode::optimiser:
                return lives_.lives_into_next_run(life, run) ? TrainingKind::optimiser_state
                                                             : TrainingKind::temporary;
            case TrainingCode::loader: return TrainingKind::input;
            case TrainingCode::forward: return of_forward(i, facts, run);
            default: break;
        }
        if (sizes_.is_gradient_by_hand(i)) return TrainingKind::gradient;
        if (const auto whole = sizes_.whole(i); whole && !is_drawn(life, facts, *whole))
            return of_whole(*whole);
        if (const auto kind = of_model(life, facts, run)) return *kind;
        return run < 0 ? of_start(i, facts) : of_loop(i, facts, run);
    }

    // What a hand-written optimiser keeps, also what its hooks gather in the passes.
    bool is_of_update(size_t i, const SiteFacts& facts, std::ptrdiff_t run) const {
        const TensorLife& life = lives_.all()[i];
        return facts.code != TrainingCode::optimiser && !is_exchanged(i) && updates_.made(life) &&
               updates_.is_kept(life, run);
    }

    // What a hook computes without a graph of what is recorded, unless the graph saved it: then the
    // backward pass gives it back.
    bool is_statistic(const TensorLife& life, const SiteFacts& facts, std::ptrdiff_t run) const {
        if (!facts.is_in_hook || facts.is_recorded.value_or(false)) return false;
        return !lives_.lives_into_next_run(life, run) ||
               static_cast<size_t>(run + 1) >= lives_.runs().size() ||
               lives_.outlives(life, run + 1);
    }

    TrainingKind of_backward(const TensorLife& life, const SiteFacts& facts,
                             std::ptrdiff_t run) const {
        // Checkpointing goes forward once more.
        if (facts.code == TrainingCode::forward) return TrainingKind::activation;
        if (run < 0) return TrainingKind::unknown;
        if (!lives_.outlives(life, run)) return TrainingKind::autograd;
        if (sizes_.is_kept_gradient(life) && lives_.lives_into_next_run(life, run))
            return TrainingKind::optimiser_state;
        return sizes_.is_of_hook(life) ? TrainingKind::temporary : TrainingKind::gradient;
    }

    TrainingKind of_forward(size_t i, const SiteFacts& facts, std::ptrdiff_t run) const {
        const TensorLife& life = lives_.all()[i];
        if (results_.contains(i)) return TrainingKind::temporary;
        if (!lives_.lives_into_next_run(life, run)) return TrainingKind::temporary;
        // Where no backward pass follows, tables, results and states of a model look alike.
        if (lives_.runs().empty() && !facts.is_recorded.value_or(false))
            return TrainingKind::unknown;
        const bool is_kept = run <= 0 && !facts.is_recorded.value_or(true) &&
                             life.died == TensorLife::never &&
                             lives_.lives_into_next_run(life, run, 3);
        if (!is_kept) return of_answer(i).value_or(TrainingKind::activation);
        // A table that the first forward pass makes for all later ones. PyTorch's own modules make
        // none: what the training keeps of them from before are targets and features.
        if (!facts.is_of_torch || facts.is_in_init) return TrainingKind::buffer;
        return run < 0 ? TrainingKind::input : TrainingKind::temporary;
    }

    // What a model answered without a graph, and what is computed of it.
    std::optional<TrainingKind> of_answer(size_t i) const {
        if (!answers_.contains(i)) return {};
        // A validation behind the passes of the round.
        if (rounds_.is_behind_passes(lives_.all()[i])) return TrainingKind::temporary;
        if (!answers_.is_kept(i)) return {};
        if (answers_.is_unsaved(i)) return TrainingKind::temporary;
        return answers_.is_doubtful(i) ? TrainingKind::unknown : TrainingKind::activation;
    }

    static TrainingKind of_whole(LearnedSizes::Whole whole) {
        switch (whole) {
            case LearnedSizes::Whole::parameters: return TrainingKind::parameter;
            case LearnedSizes::Whole::gradients: return TrainingKind::gradient;
            default: return TrainingKind::optimiser_state;
        }
    }

    // What a model is made of, whether that is before the training or in the middle of it.
    std::optional<TrainingKind> of_model(const TensorLife& life, const SiteFacts& facts,
                                         std::ptrdiff_t run) {
        if (!lives_.stays(life, run)) return {};
        switch (facts.code) {
            case TrainingCode::norm_module:
                return facts.is_buffer_of_norm() ? TrainingKind::buffer : TrainingKind::parameter;
            case TrainingCode::pytorch_module:
            case TrainingCode::initialise:
            case TrainingCode::move: return TrainingKind::parameter;
            case TrainingCode::mask: return TrainingKind::buffer;
            case TrainingCode::user_module:
                return facts.is_parameter || sizes_.takes_gradient(life.bytes)
                           ? TrainingKind::parameter
                           : TrainingKind::buffer;
            case TrainingCode::loaded: return of_file(life);
            default: break;
        }
        if (facts.is_parameter) return TrainingKind::parameter;
        return {};
    }

    // A checkpoint has the weights, and the state that the optimiser goes on from.
    TrainingKind of_file(const TensorLife& life) {
        if (sizes_.is_learned(life.bytes)) {
            if (sizes_.takes_gradient(life.bytes)) return TrainingKind::parameter;
            return has_own_state_after(life) ? TrainingKind::input : TrainingKind::optimiser_state;
        }
        const bool are_weights = loads_.at({life.space, life.site}) >= weights_min;
        return are_weights ? TrainingKind::parameter : TrainingKind::input;
    }

    // Before the first backward pass, and not in a forward.
    TrainingKind of_start(size_t i, const SiteFacts& facts) {
        const TensorLife& life = lives_.all()[i];
        if (!lives_.stays(life, -1)) {
            if (!lives_.lives_into_next_run(life, -1)) return TrainingKind::temporary;
            if (const auto kind = of_answer(i)) return *kind;
            return goes_forward(facts, -1) ? TrainingKind::activation : TrainingKind::input;
        }
        if (sizes_.is_plain_parameter(i) && results_.outlives_first_rounds(life))
            return TrainingKind::parameter;
        if (is_state(life, facts, -1)) return of_state(i, facts);
        if (facts.is_recorded.value_or(false)) return TrainingKind::activation;
        if (lives_.runs().empty() && !facts.is_made && seen_forward_of_ == -1)
            return TrainingKind::unknown;
        return results_.contains(i) ? TrainingKind::temporary : TrainingKind::input;
    }

    // Between two backward passes, and not in a forward.
    TrainingKind of_loop(size_t i, const SiteFacts& facts, std::ptrdiff_t run) {
        const TensorLife& life = lives_.all()[i];
        if (!lives_.lives_into_next_run(life, run)) return TrainingKind::temporary;
        if (lives_.lives_into_next_run(life, run, 3) && is_state(life, facts, run))
            return of_state(i, facts);
        if (sizes_.is_in_renewed_set(life, run) && !results_.is_snapshot(i) && !is_next_batch(life))
            return of_renewed(life, run);
        if (sizes_.is_factor(life) && lives_.is_computed_aside(life, run) &&
            rounds_.is_behind_run(life)) {
            return TrainingKind::optimiser_state;
        }
        if (results_.contains(i)) return TrainingKind::temporary;
        if (const auto kind = of_answer(i)) return *kind;
        return goes_forward(facts, run) ? TrainingKind::activation : TrainingKind::input;
    }

    // Where a batch has as many rows as a layer, what is drawn for it has the size of a weight.
    // What follows weights is computed behind the pass, in the same round.
    bool is_next_batch(const TensorLife& life) const {
        return lives_.sites().has_optimiser() && rounds_.are_known() &&
               !rounds_.is_behind_run(life);
    }

    // A batch may be as large as the whole model. A state of it is computed from gradients, behind
    // the pass, or filled.
    bool is_drawn(const TensorLife& life, const SiteFacts& facts, LearnedSizes::Whole whole) const {
        return whole == LearnedSizes::Whole::state && !facts.is_filled &&
               rounds_.at(life.born) > 0 && is_next_batch(life);
    }

    bool is_state(const TensorLife& life, const SiteFacts& facts, std::ptrdiff_t run) const {
        return !facts.is_data() && sizes_.is_in_kept_set(life, run);
    }

    TrainingKind of_state(size_t i, const SiteFacts& facts) {
        const TensorLife& life = lives_.all()[i];
        if (results_.is_snapshot(i) || sizes_.are_gathered(life)) return TrainingKind::temporary;
        if (!facts.is_filled)
            return outlives_module(life) ? TrainingKind::parameter : TrainingKind::optimiser_state;
        return sizes_.takes_held_gradient(life.bytes) || sizes_.is_sum_of_gradients(life)
                   ? TrainingKind::gradient
                   : TrainingKind::optimiser_state;
    }

    // Weights that are not changed in place, but replaced by new ones in each step. Beside an
    // optimiser, or beside modules that go forward with their own weights, they are averages or
    // momenta, unless they take the place of those that a module made.
    TrainingKind of_renewed(const TensorLife& life, std::ptrdiff_t run) const {
        if (updates_.replace_weights()) return TrainingKind::optimiser_state;  // beside these
        const bool are_others_learned =
            lives_.sites().has_optimiser() ||
            (sizes_.is_of_module(life.bytes) && !lives_.sites().has_other_weights());
        if (are_others_learned && !outlives_module(life)) {
            return sizes_.are_gathered(life) ? TrainingKind::temporary
                                             : TrainingKind::optimiser_state;
        }
        return sizes_.are_renewed_all(life, run) ? TrainingKind::parameter : TrainingKind::unknown;
    }

    // True if it is computed for a backward pass. A model may go forward without one, too.
    bool is_of_graph(const SiteFacts& facts) const {
        return lives_.sites().has_graph() ? facts.is_recorded.value_or(false)
                                          : facts.code == TrainingCode::forward;
    }

    // True if a tensor that no known function made is one that the model computed: it is part of
    // the graph, or the model went forward for it since this run. Where nothing is known to go
    // forward, whatever is computed is.
    bool goes_forward(const SiteFacts& facts, std::ptrdiff_t run) const {
        if (facts.is_recorded.value_or(false)) return true;
        const bool is_told = lives_.sites().has_forward() || facts.is_recorded.has_value();
        return !facts.is_made && (seen_forward_of_ == run || !is_told);
    }

    const LifeFacts& lives_;
    LearnedSizes sizes_;
    WeightUpdates updates_;
    TrainingRounds rounds_;
    std::vector<uint64_t> releases_;  // releases_of_runs()
    KeptResults results_;
    FrozenAnswers answers_;
    std::vector<uint64_t> exchanged_;                         // find_exchanged_weights()
    std::set<std::pair<uint32_t, uint32_t>> trained_copies_;  // sites
    std::vector<uint8_t> replaced_buffers_;                   // find_replaced_buffers()
    bool has_exchanged_ = false;
    std::map<std::pair<uint32_t, uint32_t>, size_t> loads_;  // by space and site: what stays
    std::vector<TensorLife> own_states_;                     // that optimisers made themselves
    std::ptrdiff_t seen_forward_of_ = -2;  // the run after which the model went forward last
};

}  // namespace

KindName name_of(TrainingKind kind) { return names[static_cast<size_t>(kind)]; }

TrainingKinds tensor_kinds(const TensorLives& tensors, const TrainingSites& sites,
                           std::vector<size_t> space_of, const std::vector<uint64_t>& rounds) {
    TrainingKinds kinds;
    kinds.space_of = std::move(space_of);
    const LifeFacts lives(tensors, sites, kinds.space_of);
    Judge(lives, rounds).run(kinds);
    return kinds;
}

}  // namespace memtrace::analyzer
