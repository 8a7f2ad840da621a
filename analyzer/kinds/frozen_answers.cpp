// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/frozen_answers.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace memtrace::analyzer {
namespace {

// Answers of the models that go forward without a graph between two backward passes, and what is
// computed of these: element by element, in parts of their size, or all of them as one.
class Answers {
public:
    explicit Answers(const LifeFacts& lives) : lives_(lives) {}

    // True if it is one. Lives come in the order of their births.
    bool add(size_t i) {
        const TensorLife& life = lives_.all()[i];
        const SiteFacts& facts = lives_.facts(life);
        if (facts.is_in_backward || facts.is_recorded.value_or(false)) return false;
        // In inference mode the engine of autograd is not in the stack.
        const bool is_known = facts.is_recorded.has_value() || lives_.sites().has_graph();
        if (!is_known || (facts.is_made && !facts.is_recorded)) return false;
        go_to(lives_.run_at(life.born));
        if (!facts.is_answer && !is_of_other(life)) return false;
        by_size_[life.bytes].push_back(i);
        return true;
    }
    // Returns the answer that the program itself reduces to this one; nothing: it does not.
    std::optional<size_t> reduced_to(size_t i) {
        const TensorLife& life = lives_.all()[i];
        const SiteFacts& facts = lives_.facts(life);
        if (facts.does != GraphOps::Does::reduces || facts.code != TrainingCode::none ||
            facts.is_in_backward || facts.is_recorded.value_or(true) || life.bytes == 0)
            return {};
        go_to(lives_.run_at(life.born));
        std::optional<size_t> last;
        for (auto& [bytes, answers] : by_size_) {
            if (bytes == life.bytes || bytes % life.bytes != 0) continue;
            if (count_alive(answers, life.born) > 0)
                last = std::max(last, std::optional(answers.back()));
        }
        return last;
    }
    // Those of the size of this one that are there when it is born.
    const std::vector<size_t>& alive(const TensorLife& life) {
        go_to(lives_.run_at(life.born));
        std::vector<size_t>& found = by_size_[life.bytes];
        count_alive(found, life.born);
        return found;
    }

private:
    // Forgets those that are gone.
    size_t count_alive(std::vector<size_t>& answers, uint64_t time) const {
        std::erase_if(answers, [&](size_t i) { return lives_.all()[i].died <= time; });
        return answers.size();
    }

    void go_to(std::ptrdiff_t run) {
        if (run == run_) return;
        by_size_.clear();
        run_ = run;
    }

    bool is_of_other(const TensorLife& life) {
        const SiteFacts& facts = lives_.facts(life);
        // Operations make an empty tensor, too, and fill it, as argmax() does.
        const bool is_of_data = facts.is_made && facts.does == GraphOps::Does::other;
        if (is_of_data || life.bytes == 0) return false;
        if (facts.code != TrainingCode::none && facts.code != TrainingCode::forward) return false;
        if (!alive(life).empty()) return true;
        return std::any_of(by_size_.begin(), by_size_.end(), [&](auto& entry) {
            const uint64_t bytes = entry.first;
            switch (facts.does) {
                case GraphOps::Does::joins:
                    return life.bytes % bytes == 0 &&
                           count_alive(entry.second, life.born) >= life.bytes / bytes;
                case GraphOps::Does::reduces:
                    return bytes % life.bytes == 0 && count_alive(entry.second, life.born) > 0;
                default: return false;
            }
        });
    }

    const LifeFacts& lives_;
    std::ptrdiff_t run_ = -2;
    std::unordered_map<uint64_t, std::vector<size_t>> by_size_;
};

// True if the operation saves nothing of the answer in its own size that it is computed from.
bool saves_none(const SiteFacts& facts) {
    if (facts.is_in_backward || !facts.is_recorded) return false;
    return *facts.is_recorded ? facts.is_of_loss && facts.does == GraphOps::Does::adds
                              : facts.does == GraphOps::Does::normalises;
}

}  // namespace

std::vector<uint64_t> releases_of_runs(const LifeFacts& lives) {
    std::vector<uint64_t> releases(lives.runs().size());
    for (const TensorLife& life : lives.all()) {
        const SiteFacts& facts = lives.facts(life);
        if (facts.is_in_backward || !facts.is_recorded.value_or(false)) continue;
        const auto next = static_cast<size_t>(lives.run_at(life.born) + 1);
        if (next >= releases.size()) continue;
        const BackwardRun& run = lives.runs()[next];
        if (run.begin < life.died && life.died <= run.end)
            releases[next] = std::max(releases[next], life.died);
    }
    return releases;
}

FrozenAnswers::FrozenAnswers(const LifeFacts& lives, const std::vector<uint64_t>& releases)
    : lives_(lives), releases_(releases), answers_(lives.all().size()) {
    const std::vector<TensorLife>& all = lives_.all();
    Answers answers(lives_);
    SizesOfRuns recorded, gradients;
    std::vector<size_t> reduced;
    for (size_t i = 0; i < all.size(); ++i) {
        const TensorLife& life = all[i];
        const SiteFacts& facts = lives_.facts(life);
        const std::ptrdiff_t run = lives_.run_at(life.born);
        if (saves_none(facts)) {
            // Of several, what was computed last is what is added, subtracted or normalised.
            const std::vector<size_t>& alive = answers.alive(life);
            const auto last = std::find_if(alive.rbegin(), alive.rend(), [&](size_t answer) {
                return !answers_[answer].is_unsaved && !saves_none(lives_.facts(all[answer]));
            });
            if (last != alive.rend()) answers_[*last].is_unsaved = true;
        }
        if (const auto answer = answers.reduced_to(i)) reduced.push_back(*answer);
        answers_[i].is_one = answers.add(i);
        if (facts.is_in_backward && run >= 0 && lives_.outlives(life, run))
            gradients.emplace(run, life.bytes);
        if (!facts.is_in_backward && facts.is_recorded.value_or(false))
            recorded.emplace(run, life.bytes);
    }
    // What goes on is what it was reduced to, if the graph has nothing of its size. If it has, that
    // may be computed from either.
    for (const size_t i : reduced) {
        const bool has_size = recorded.contains({lives_.run_at(all[i].born), all[i].bytes});
        (has_size ? answers_[i].is_doubtful : answers_[i].is_unsaved) = true;
    }
    for (size_t i = 0; i < all.size(); ++i) answers_[i].until = find_end(i, gradients);
}

uint64_t FrozenAnswers::find_end(size_t i, const SizesOfRuns& gradients) const {
    const TensorLife& life = lives_.all()[i];
    const SiteFacts& facts = lives_.facts(life);
    const std::ptrdiff_t next = lives_.run_at(life.born) + 1;
    const auto at = static_cast<size_t>(next);
    if (facts.is_in_backward || facts.is_recorded.value_or(false) || at >= releases_.size() ||
        releases_[at] == 0 || !lives_.outlives(life, next))
        return TensorLife::never;
    // What is there in the pass after that, too, may be needed for it, unless the first pass makes
    // a gradient of it: then it is a leaf of that graph.
    const bool is_leaf = answers_[i].is_one && gradients.contains({next, life.bytes});
    const bool is_there_again =
        at + 1 < releases_.size() && life.died > lives_.runs()[at + 1].begin;
    return is_there_again && !is_leaf ? TensorLife::never : releases_[at];
}

}  // namespace memtrace::analyzer
