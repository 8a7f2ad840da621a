// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/weight_updates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace memtrace::analyzer {
namespace {

// What a function computes of a model, between two backward passes.
class Met {
public:
    void add(const ModelShape& model, uint64_t bytes) {
        const auto found = model.sizes().find(bytes);
        if (found == model.sizes().end() || numbers_[bytes] == found->second) return;
        numbers_[bytes] += 1;
        bytes_ += bytes;
    }
    // A change of one weight alone is no optimiser, unless there is only one.
    bool is_most_of(const ModelShape& model) const {
        return bytes_ * 2 >= model.size().bytes &&
               numbers_.size() >= std::min<size_t>(2, model.sizes().size());
    }

private:
    NumberBySize numbers_;
    uint64_t bytes_ = 0;
};

}  // namespace

WeightUpdates::WeightUpdates(const LifeFacts& lives, const ModelShape& model) : lives_(lives) {
    if (model.empty()) return;
    std::map<std::pair<uint32_t, std::ptrdiff_t>, Met> met;  // by function, and the run before
    for (const TensorLife& life : lives.all()) {
        const std::ptrdiff_t run = lives.run_at(life.born);
        const SiteFacts& facts = lives.facts(life);
        if (facts.own_functions == 0 || facts.is_copied) continue;
        if (!lives.is_computed_aside(life, run) || lives.is_in(run, life.born)) continue;
        for (const uint32_t number : lives.sites().own_functions(facts))
            met[{number, run}].add(model, life.bytes);
    }
    for (const auto& [where, of_run] : met) {
        if (of_run.is_most_of(model)) updates_.insert(where.first);
    }
    for (const TensorLife& life : lives.all()) {
        const std::ptrdiff_t run = lives.run_at(life.born);
        if (lives.is_computed_aside(life, run) && lives.lives_into_next_run(life, run))
            keep_.insert({life.space, life.site});
    }
    if (!lives.sites().has_optimiser()) find_weights(model);
}

bool WeightUpdates::is_kept(const TensorLife& life, std::ptrdiff_t run) const {
    const bool is_last = static_cast<size_t>(run + 1) == lives_.runs().size();
    return lives_.lives_into_next_run(life, run) ||
           (is_last && run > 0 && lives_.is_computed_aside(life, run) &&
            keep_.contains({life.space, life.site}));
}

// True if weights that were there before the first pass are there behind the last one. Those of
// modules say nothing if these go forward with others.
bool WeightUpdates::changes_in_place(const ModelShape& model) const {
    Met met;
    for (const TensorLife& life : lives_.all()) {
        if (lives_.run_at(life.born) >= 0) break;
        const SiteFacts& facts = lives_.facts(life);
        const bool is_of_module = LifeFacts::is_made_by_module(facts) || facts.is_parameter ||
                                  facts.code == TrainingCode::user_module;
        if (!is_of_module && (facts.code != TrainingCode::none || facts.is_filled)) continue;
        if (is_of_module && lives_.sites().has_other_weights()) continue;
        if (life.died > lives_.runs().back().end) met.add(model, life.bytes);
    }
    return met.is_most_of(model);
}

void WeightUpdates::find_weights(const ModelShape& model) {
    if (lives_.runs().size() < 2 || model.sizes().size() < 2 || changes_in_place(model)) return;
    std::map<std::ptrdiff_t, std::vector<size_t>> made;  // by the run before
    NumberBySize replaced_zeros;                         // states before the first pass
    for (size_t i = 0; i < lives_.all().size(); ++i) {
        const TensorLife& life = lives_.all()[i];
        const std::ptrdiff_t run = lives_.run_at(life.born);
        if (!model.contains(life.bytes)) continue;
        if (run < 0 && lives_.facts(life).is_filled && lives_.lives_into_next_run(life, run) &&
            !lives_.stays(life, run))
            replaced_zeros[life.bytes] += 1;
        if (lives_.is_computed_aside(life, run) && !lives_.is_in(run, life.born) &&
            is_kept(life, run) &&
            (static_cast<size_t>(run + 3) >= lives_.runs().size() ||
             !lives_.lives_into_next_run(life, run, 3)))
            made[run].push_back(i);
    }
    for (const auto& [run, of_run] : made) find_weights_of_run(of_run, replaced_zeros, model);
}

// Of each size, the last line that makes as many as the model has. States that are made as often as
// there were zeros to begin with leave no room for weights.
void WeightUpdates::find_weights_of_run(const std::vector<size_t>& made,
                                        const NumberBySize& replaced_zeros,
                                        const ModelShape& model) {
    std::map<uint64_t, std::map<Site, std::vector<size_t>>> by_size;
    std::map<uint64_t, int64_t> all;
    for (const size_t i : made) {
        const TensorLife& life = lives_.all()[i];
        by_size[life.bytes][{life.space, life.site}].push_back(i);
        all[life.bytes] += 1;
    }
    std::vector<size_t> weights;
    std::optional<Site> of_largest;  // It mostly makes the others, too.
    Met met;
    for (auto of_size = by_size.rbegin(); of_size != by_size.rend(); ++of_size) {
        const auto& [bytes, of_sites] = *of_size;
        const int64_t places = model.sizes().at(bytes);
        const auto zeros = replaced_zeros.find(bytes);
        const int64_t states = zeros == replaced_zeros.end() ? 0 : zeros->second;
        if (all.at(bytes) - states < places) continue;
        std::optional<Site> last;
        for (const auto& [site, of_site] : of_sites) {
            if (static_cast<int64_t>(of_site.size()) != places) continue;
            if (last && last == of_largest) continue;
            if (site == of_largest || !last || of_site.back() > of_sites.at(*last).back())
                last = site;
        }
        if (!last) continue;
        if (!of_largest) of_largest = last;
        for (const size_t i : of_sites.at(*last)) {
            met.add(model, bytes);
            weights.push_back(i);
        }
    }
    if (met.is_most_of(model)) weights_.insert(weights.begin(), weights.end());
}

bool WeightUpdates::made(const TensorLife& life) const {
    const SiteFacts& facts = lives_.facts(life);
    if (updates_.empty() || facts.own_functions == 0 || facts.is_recorded.value_or(false))
        return false;
    // A class that averages the weights of clients may have data, too.
    if (facts.is_data() && lives_.run_at(life.born) < 0) return false;
    const auto& numbers = lives_.sites().own_functions(facts);
    return std::any_of(numbers.begin(), numbers.end(),
                       [this](uint32_t number) { return updates_.contains(number); });
}

}  // namespace memtrace::analyzer
