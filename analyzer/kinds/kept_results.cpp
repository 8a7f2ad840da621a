// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/kept_results.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace memtrace::analyzer {
namespace {

constexpr size_t several = 2;  // A single one is a table or a state.

// The graphs that were made between two backward passes.
struct Graphs {
    uint64_t begin = TensorLife::never;  // first tensor
    uint64_t end = 0;                    // last node; 0: none was followed
};

// Returns them by the run that they follow.
std::map<std::ptrdiff_t, Graphs> find_graphs(const LifeFacts& lives) {
    std::map<std::ptrdiff_t, Graphs> graphs;
    for (const TensorLife& life : lives.all()) {
        const SiteFacts& facts = lives.facts(life);
        if (facts.is_in_backward || !facts.is_recorded.value_or(false)) continue;
        Graphs& of_run = graphs[lives.run_at(life.born)];
        of_run.begin = std::min(of_run.begin, life.born);
    }
    for (const TensorLife& node : lives.others()) {
        const auto of_run = graphs.find(lives.run_at(node.born));
        if (of_run == graphs.end() || !lives.facts(node).is_graph_node) continue;
        // What an operation makes before that belongs to no graph: parts of views, for example.
        if (node.born < of_run->second.begin) continue;
        of_run->second.end = std::max(of_run->second.end, node.died);
    }
    return graphs;
}

class Finder {
public:
    Finder(const LifeFacts& lives, const std::map<std::ptrdiff_t, Graphs>& graphs,
           const TrainingRounds& rounds)
        : lives_(lives), graphs_(graphs), rounds_(rounds), may_be_(lives.all().size()) {}

    std::vector<uint8_t> run() {
        const std::vector<TensorLife>& all = lives_.all();
        std::vector<uint8_t> found(all.size());
        if (!lives_.sites().has_graph()) return found;
        for (size_t i = 0; i < all.size(); ++i) {
            may_be_[i] = may_be_result(all[i]);
            if (may_be_[i] != Place::none && is_kept(i)) kept_[{all[i].space, all[i].site}] += 1;
        }
        // What is younger than that at the end is what the others of its site are.
        for (size_t i = 0; i < all.size(); ++i) {
            const auto kept = kept_.find({all[i].space, all[i].site});
            found[i] = may_be_[i] != Place::none && kept != kept_.end() &&
                       kept->second >= several && (is_there_at_end(all[i]) || is_kept(i));
        }
        return found;
    }

private:
    enum class Place : uint8_t { none, after_forward, after_pass };

    Place may_be_result(const TensorLife& life) {
        const SiteFacts& facts = lives_.facts(life);
        const std::ptrdiff_t run = lives_.run_at(life.born);
        if (facts.is_in_backward) return Place::none;
        const bool is_forward = facts.code == TrainingCode::forward;
        if (facts.is_recorded.value_or(false)) {
            recorded_after_ = run;
            return Place::none;
        }
        // A loss that is computed for a metric is no model that goes forward.
        if (is_forward && (facts.is_answer || !facts.is_of_loss)) forward_after_ = run;
        if (facts.is_made) return Place::none;
        // Before the first pass a model makes its tables.
        if (is_forward) return run >= 0 && facts.is_recorded ? Place::after_forward : Place::none;
        if (facts.code != TrainingCode::none) return Place::none;
        if (recorded_after_ == run) return Place::after_forward;
        return is_after_pass(life, run) ? Place::after_pass : Place::none;
    }

    // The pass is of the same round, and the model did not go forward for something else since, as
    // it does to gather experience.
    bool is_after_pass(const TensorLife& life, std::ptrdiff_t run) const {
        return forward_after_ != run && rounds_.is_behind_run(life);
    }

    // What a round computes behind its passes is no data of that round, so it need not live longer
    // than until the next round replaces it.
    bool is_kept(size_t i) const {
        const TensorLife& life = lives_.all()[i];
        const bool is_behind = may_be_[i] == Place::after_pass &&
                               lives_.facts(life).is_recorded.has_value() &&
                               rounds_.is_behind_passes(life) &&
                               lives_.lives_into_next_run(life, lives_.run_at(life.born));
        return is_behind || outlives_next_round(life);
    }

    // A graph that is kept may hold it: what an autograd function of the program saves, say.
    bool outlives_next_round(const TensorLife& life) const {
        const std::ptrdiff_t run = lives_.run_at(life.born);
        const auto of_run = graphs_.find(run);
        if (of_run != graphs_.end() && of_run->second.end >= life.died) return false;
        if (static_cast<size_t>(run + 2) >= lives_.runs().size()) return false;
        return lives_.lives_into_next_run(life, run, 2) &&
               (!rounds_.are_known() || rounds_.at(life.died) >= rounds_.at(life.born) + 2);
    }

    // An interpreter that ends may give back what the program kept.
    bool is_there_at_end(const TensorLife& life) const {
        return lives_.runs().empty() || life.died > lives_.runs().back().end;
    }

    const LifeFacts& lives_;
    const std::map<std::ptrdiff_t, Graphs>& graphs_;
    const TrainingRounds& rounds_;
    std::vector<Place> may_be_;                             // by index of the life
    std::map<std::pair<uint32_t, uint32_t>, size_t> kept_;  // by space and site
    // The run after which the model went forward last, for a backward pass and for something else.
    std::ptrdiff_t recorded_after_ = -2;
    std::ptrdiff_t forward_after_ = -2;
};

// What forward() computes without a graph of what it is given, and the next backward pass gives
// back: that was saved, and not what it was computed from.
class SavedInstead {
public:
    explicit SavedInstead(const LifeFacts& lives) : lives_(lives) {
        for (size_t i = 0; i < lives.all().size(); ++i) {
            const TensorLife& life = lives.all()[i];
            const SiteFacts& facts = lives.facts(life);
            const auto next = static_cast<size_t>(lives.run_at(life.born) + 1);
            if (!facts.is_answer || facts.is_made || facts.is_in_backward ||
                facts.is_recorded.value_or(true) || next >= lives.runs().size())
                continue;
            const BackwardRun& run = lives.runs()[next];
            if (run.begin < life.died && life.died <= run.end)
                saved_[{next, life.bytes}].push_back(i);
        }
    }
    // True if there is one for this, which lost its graph at that time. One is there for one.
    bool take(const TensorLife& life, uint64_t detached) {
        const auto next = static_cast<size_t>(lives_.run_at(life.born) + 1);
        if (!lives_.outlives(life, static_cast<std::ptrdiff_t>(next))) return false;
        std::vector<size_t>& saved = saved_[{next, life.bytes}];
        const auto first = std::find_if(saved.begin(), saved.end(), [&](size_t one) {
            return lives_.all()[one].born > detached;
        });
        if (first == saved.end()) return false;
        saved.erase(first);
        return true;
    }

private:
    const LifeFacts& lives_;
    std::map<std::pair<size_t, uint64_t>, std::vector<size_t>> saved_;  // by run and size
};

// Returns KeptResults::outlive_graph_. `releases`: of releases_of_runs().
std::vector<KeptResults::Detached> find_detached(const LifeFacts& lives,
                                                 const std::map<std::ptrdiff_t, Graphs>& graphs,
                                                 const std::vector<uint64_t>& releases) {
    const std::vector<TensorLife>& all = lives.all();
    std::vector<KeptResults::Detached> found(all.size());
    if (!lives.are_all_followed()) return found;
    const std::vector<uint64_t> nodes = deaths_of_nodes(lives);
    SavedInstead saved(lives);
    for (size_t i = 0; i < all.size(); ++i) {
        const SiteFacts& facts = lives.facts(all[i]);
        if (facts.is_in_backward || !facts.is_recorded.value_or(false)) continue;
        const std::ptrdiff_t run = lives.run_at(all[i].born);
        const uint64_t end = nodes[i] != 0 ? nodes[i] : graphs.at(run).end;
        if (end == 0 || all[i].died <= end) continue;
        found[i].from = end;
        const auto next = static_cast<size_t>(run + 1);
        if (next >= lives.runs().size() || end >= lives.runs()[next].begin) continue;
        found[i].is_data = facts.code == TrainingCode::none;
        if (found[i].is_data || saved.take(all[i], end)) continue;
        found[i].from = releases[next] != 0 ? releases[next] : lives.runs()[next].end;
    }
    return found;
}

// Returns sites that make copies between different backward passes.
std::set<std::pair<uint32_t, uint32_t>> sites_of_snapshots(const LifeFacts& lives) {
    std::map<std::pair<uint32_t, uint32_t>, std::set<std::ptrdiff_t>> copied_after;
    for (const TensorLife& life : lives.all()) {
        const SiteFacts& facts = lives.facts(life);
        const std::ptrdiff_t run = lives.run_at(life.born);
        if (!facts.is_copied || facts.is_in_backward || facts.is_recorded.value_or(false)) continue;
        if (run >= 0 && lives.lives_into_next_run(life, run))
            copied_after[{life.space, life.site}].insert(run);
    }
    std::set<std::pair<uint32_t, uint32_t>> sites;
    for (const auto& [site, runs] : copied_after) {
        if (runs.size() >= several) sites.insert(site);
    }
    return sites;
}

// Returns KeptResults::snapshots_. What a snapshot takes the place of is one, too: a copy that was
// made before.
std::vector<uint8_t> find_snapshots(const LifeFacts& lives) {
    const std::vector<TensorLife>& all = lives.all();
    const std::set<std::pair<uint32_t, uint32_t>> sites = sites_of_snapshots(lives);
    std::vector<uint8_t> found(all.size());
    std::map<std::pair<std::ptrdiff_t, uint64_t>, uint64_t> first_after;  // by run and size
    for (size_t i = 0; i < all.size(); ++i) {
        if (!sites.contains({all[i].space, all[i].site})) continue;
        found[i] = 1;
        first_after.try_emplace({lives.run_at(all[i].born), all[i].bytes}, all[i].born);
    }
    for (size_t i = 0; i < all.size() && !first_after.empty(); ++i) {
        const TensorLife& life = all[i];
        if (!lives.facts(life).is_copied || life.died == TensorLife::never) continue;
        const auto first = first_after.find({lives.run_at(life.died), life.bytes});
        if (first != first_after.end() && life.born < first->second && first->second < life.died)
            found[i] = 1;
    }
    return found;
}

// Returns KeptResults::compared_.
std::map<size_t, KeptResults::Compared> find_compared(const LifeFacts& lives,
                                                      const std::vector<uint8_t>& results,
                                                      const std::vector<uint64_t>& releases) {
    const std::vector<TensorLife>& all = lives.all();
    std::map<size_t, KeptResults::Compared> found;
    std::map<uint64_t, std::vector<size_t>> alive;  // by size
    for (size_t i = 0; i < all.size(); ++i) {
        const TensorLife& life = all[i];
        const SiteFacts& facts = lives.facts(life);
        const std::ptrdiff_t run = lives.run_at(life.born);
        const auto next = static_cast<size_t>(run + 1);
        std::vector<size_t>& others = alive[life.bytes];
        const bool is_graph = !facts.is_in_backward && facts.is_recorded.value_or(false);
        if (is_graph && facts.does == GraphOps::Does::compares && next < releases.size()) {
            std::erase_if(others, [&](size_t one) { return all[one].died <= life.born; });
            // What the graph of this round has is what it is compared with.
            const auto is_other = [&](size_t one) {
                const SiteFacts& of = lives.facts(all[one]);
                const bool is_of_graph = !of.is_in_backward && of.is_recorded.value_or(false);
                return !is_of_graph || lives.run_at(all[one].born) != run;
            };
            const auto one = std::find_if(others.begin(), others.end(), is_other);
            const bool is_alone = std::count_if(others.begin(), others.end(), is_other) == 1;
            if (is_alone && results[*one] != 0 && releases[next] > life.born)
                found.try_emplace(*one, KeptResults::Compared{life.born, releases[next]});
        }
        others.push_back(i);
    }
    return found;
}

}  // namespace

std::vector<uint64_t> deaths_of_nodes(const LifeFacts& lives) {
    const std::vector<TensorLife>& all = lives.all();
    std::vector<uint64_t> deaths(all.size());
    std::unordered_map<uint32_t, uint64_t> last;  // by call: when its last node died
    auto node = lives.others().begin();
    for (size_t i = 0; i < all.size(); ++i) {
        for (; node != lives.others().end() && node->born <= all[i].born; ++node) {
            const SiteFacts& facts = lives.facts(*node);
            if (facts.is_graph_node && facts.graph_call != 0) last[facts.graph_call] = node->died;
        }
        const auto found = last.find(lives.facts(all[i]).graph_call);
        if (found != last.end() && found->second > all[i].born) deaths[i] = found->second;
    }
    return deaths;
}

bool KeptResults::outlives_first_rounds(const TensorLife& life) const {
    if (!rounds_.are_known() || lives_.runs().empty() || life.died == TensorLife::never)
        return true;
    return rounds_.at(life.died) >= rounds_.at(lives_.runs().front().begin) + 2;
}

KeptResults::KeptResults(const LifeFacts& lives, const TrainingRounds& rounds,
                         const std::vector<uint64_t>& releases)
    : lives_(lives), rounds_(rounds) {
    const std::map<std::ptrdiff_t, Graphs> graphs = find_graphs(lives);
    results_ = Finder(lives, graphs, rounds).run();
    outlive_graph_ = find_detached(lives, graphs, releases);
    snapshots_ = find_snapshots(lives);
    compared_ = find_compared(lives, results_, releases);
}

}  // namespace memtrace::analyzer
