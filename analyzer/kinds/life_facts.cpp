// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/life_facts.h"

#include <algorithm>

namespace memtrace::analyzer {

const SiteFacts& LifeFacts::facts(const TensorLife& life) const {
    return sites_.of(space_of_[life.space], life.site);
}

std::ptrdiff_t LifeFacts::run_at(uint64_t time) const {
    const auto next = std::upper_bound(
        runs().begin(), runs().end(), time,
        [](uint64_t moment, const BackwardRun& run) { return moment < run.begin; });
    return next - runs().begin() - 1;
}

bool LifeFacts::is_in(std::ptrdiff_t run, uint64_t time) const {
    return run >= 0 && time < runs()[static_cast<size_t>(run)].end;
}

bool LifeFacts::outlives(const TensorLife& life, std::ptrdiff_t run) const {
    return life.died > runs()[static_cast<size_t>(run)].end;
}

bool LifeFacts::lives_into_next_run(const TensorLife& life, std::ptrdiff_t run, size_t more) const {
    const size_t next = static_cast<size_t>(run + static_cast<std::ptrdiff_t>(more));
    if (next >= runs().size()) return life.died == TensorLife::never;
    return life.died > runs()[next].begin;
}

bool LifeFacts::stays(const TensorLife& life, std::ptrdiff_t run) const {
    const bool has_two = static_cast<size_t>(run + 2) < runs().size();
    return lives_into_next_run(life, run, has_two ? 2 : 1);
}

bool LifeFacts::is_made_by_module(const SiteFacts& facts) {
    return facts.code == TrainingCode::pytorch_module || facts.code == TrainingCode::initialise ||
           facts.code == TrainingCode::move || facts.code == TrainingCode::norm_module;
}

bool LifeFacts::is_like_state(const TensorLife& life) const {
    const SiteFacts& of = facts(life);
    return of.code == TrainingCode::none && (of.is_filled || !of.is_made) && !of.is_in_backward &&
           lives_into_next_run(life, run_at(life.born), 3);
}

bool LifeFacts::is_computed_aside(const TensorLife& life, std::ptrdiff_t run) const {
    const SiteFacts& of = facts(life);
    return run >= 0 && of.code == TrainingCode::none && !of.is_made && !of.is_in_backward &&
           !of.is_recorded.value_or(false);
}

}  // namespace memtrace::analyzer
