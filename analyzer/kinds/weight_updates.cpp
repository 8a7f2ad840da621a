// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/weight_updates.h"

#include <algorithm>
#include <map>
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
