// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/exchanged_weights.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analyzer/kinds/model_shape.h"

namespace memtrace::analyzer {
namespace {

// Of what is given back, by bytes: other tensors may have the sizes of some weights by chance.
constexpr uint64_t tenths_met = 9;

class Exchanges {
public:
    explicit Exchanges(const LifeFacts& lives)
        : lives_(lives), from_(lives.all().size(), TensorLife::never) {
        for (size_t i = 0; i < lives.all().size(); ++i) {
            const TensorLife& life = lives.all()[i];
            const SiteFacts& facts = lives.facts(life);
            if (facts.is_in_backward || facts.is_recorded.value_or(false)) continue;
            if (LifeFacts::is_made_by_module(facts) || facts.is_parameter)
                weights_of_[lives.run_at(life.born)].push_back(i);
            else if (facts.is_copied || lives.is_computed_aside(life, lives.run_at(life.born)))
                copies_of_[lives.run_at(life.born)].push_back(i);
        }
    }

    std::vector<uint64_t> run() {
        const auto runs = static_cast<std::ptrdiff_t>(lives_.runs().size());
        for (std::ptrdiff_t run = -1; run < runs; ++run) {
            for (const size_t i : std::exchange(weights_of_[run], {})) weights_.push_back(i);
            for (const size_t i : std::exchange(copies_of_[run], {}))
                copies_[lives_.all()[i].bytes].push_back(i);
            if (run >= 0) go_past(run);
        }
        return std::move(from_);
    }

private:
    const TensorLife& life(size_t i) const { return lives_.all()[i]; }
    uint64_t begin_of_next(std::ptrdiff_t run) const {
        const auto next = static_cast<size_t>(run + 1);
        return next < lives_.runs().size() ? lives_.runs()[next].begin : TensorLife::never;
    }

    // Looks at what is given back after a backward pass and before the next one. What modules make
    // at that time takes the place of weights of its size: a model for the next fold, say.
    void go_past(std::ptrdiff_t run) {
        const uint64_t begin = lives_.runs()[static_cast<size_t>(run)].end;
        const uint64_t end = begin_of_next(run);
        std::set<uint64_t> made;  // sizes
        std::vector<size_t> given_back;
        for (const size_t i : weights_) {
            if (life(i).born >= begin) made.insert(life(i).bytes);
            else if (life(i).died > begin && life(i).died < end) given_back.push_back(i);
        }
        std::erase_if(given_back, [&](size_t i) { return made.contains(life(i).bytes); });
        // When the program ends, it gives back its weights, and copies that it kept later.
        if (end != TensorLife::never || has_exchanged_) exchange(given_back, end);
        std::erase_if(weights_, [&](size_t i) { return life(i).died < end; });
        for (auto& [size, copies] : copies_) {
            std::erase_if(copies, [&](size_t i) { return life(i).died < end; });
        }
    }

    // `end`: when the next backward pass begins.
    void exchange(std::vector<size_t>& given_back, uint64_t end) {
        std::sort(given_back.begin(), given_back.end(),
                  [this](size_t a, size_t b) { return life(a).died < life(b).died; });
        std::vector<std::pair<size_t, uint64_t>> found;
        std::set<size_t> taken;
        uint64_t met = 0, all = 0;
        for (const size_t i : given_back) {
            all += life(i).bytes;
            // The youngest: an older one may be an average.
            const std::vector<size_t>& copies = copies_[life(i).bytes];
            const auto copy = std::find_if(copies.rbegin(), copies.rend(), [&](size_t one) {
                return !taken.contains(one) && takes_place_of(one, i, end);
            });
            if (copy == copies.rend()) continue;
            taken.insert(*copy);
            found.emplace_back(*copy, life(i).died);
            met += life(i).bytes;
        }
        if (found.empty() || met * 10 < all * tenths_met) return;
        has_exchanged_ = true;
        for (const auto& [copy, when] : found) {
            from_[copy] = when;
            weights_.push_back(copy);
        }
    }

    bool takes_place_of(size_t copy, size_t weight, uint64_t end) const {
        const uint64_t until = end == TensorLife::never ? life(weight).died : end;
        // What is computed takes it at once.
        if (!lives_.facts(life(copy)).is_copied &&
            lives_.run_at(life(copy).born) != lives_.run_at(life(weight).died))
            return false;
        return from_[copy] == TensorLife::never && life(copy).born < life(weight).died &&
               life(copy).died > until;
    }

    const LifeFacts& lives_;
    std::vector<uint64_t> from_;
    std::map<std::ptrdiff_t, std::vector<size_t>> weights_of_, copies_of_;  // by the run before
    std::vector<size_t> weights_;                                           // that are there
    std::map<uint64_t, std::vector<size_t>> copies_;  // by size, in the order of their births
    bool has_exchanged_ = false;
};

using SiteOfSpace = std::pair<uint32_t, uint32_t>;

enum class Part : uint8_t { other, weight, copy, gradient };

Part part_of(const LifeFacts& lives, const TensorLife& life) {
    const SiteFacts& facts = lives.facts(life);
    const std::ptrdiff_t run = lives.run_at(life.born);
    if (facts.is_in_backward) {
        const bool is_kept =
            run >= 0 && facts.code != TrainingCode::forward && lives.outlives(life, run);
        return is_kept ? Part::gradient : Part::other;
    }
    if (LifeFacts::is_made_by_module(facts) || facts.is_parameter) return Part::weight;
    return facts.is_copied && !facts.is_recorded.value_or(false) ? Part::copy : Part::other;
}

// Returns sites of which most copies are given back beside a gradient of their size.
std::set<SiteOfSpace> given_back_with_gradients(const LifeFacts& lives) {
    struct Death {
        const TensorLife* life;
        Part part;
    };
    std::vector<Death> deaths;
    std::set<uint64_t> weights;  // sizes
    for (const TensorLife& life : lives.all()) {
        if (part_of(lives, life) == Part::weight) weights.insert(life.bytes);
        if (life.died != TensorLife::never) deaths.push_back({&life, part_of(lives, life)});
    }
    std::sort(deaths.begin(), deaths.end(),
              [](const Death& a, const Death& b) { return a.life->died < b.life->died; });
    struct Number {
        size_t all = 0, beside_gradient = 0;
    };
    std::map<SiteOfSpace, Number> numbers;
    for (size_t i = 0; i < deaths.size(); ++i) {
        // A gradient may be asked for a copy of data, too.
        if (deaths[i].part != Part::copy || !weights.contains(deaths[i].life->bytes)) continue;
        const auto is_gradient = [&](size_t at) {
            return at < deaths.size() && deaths[at].part == Part::gradient &&
                   deaths[at].life->bytes == deaths[i].life->bytes;
        };
        Number& number = numbers[{deaths[i].life->space, deaths[i].life->site}];
        number.all += 1;
        if (is_gradient(i + 1) || (i > 0 && is_gradient(i - 1))) number.beside_gradient += 1;
    }
    std::set<SiteOfSpace> sites;
    for (const auto& [site, number] : numbers) {
        if (number.beside_gradient * 2 > number.all) sites.insert(site);
    }
    return sites;
}

// Returns sites that make copies of a model for several that learn: there are more of them than
// weights of modules, and gradients for all at one moment. An average has none.
std::set<SiteOfSpace> with_gradients_of_all(const LifeFacts& lives) {
    constexpr uint64_t grain = 1;
    constexpr int64_t several = 2;
    AliveAtOnce weights(grain), gradients(grain);
    std::map<SiteOfSpace, AliveAtOnce> copies;
    for (const TensorLife& life : lives.all()) {
        if (!lives.lives_into_next_run(life, lives.run_at(life.born)) &&
            part_of(lives, life) != Part::gradient)
            continue;
        switch (part_of(lives, life)) {
            case Part::weight: weights.add(life); break;
            case Part::gradient: gradients.add(life); break;
            case Part::copy:
                copies.try_emplace({life.space, life.site}, grain).first->second.add(life);
                break;
            default: break;
        }
    }
    const auto number_of = [](const NumberBySize& numbers, uint64_t bytes) {
        const auto found = numbers.find(bytes);
        return found == numbers.end() ? 0 : found->second;
    };
    std::set<SiteOfSpace> sites;
    for (const auto& [site, of_site] : copies) {
        uint64_t trained = 0, all = 0;
        for (const auto& [bytes, number] : of_site.most()) {
            const uint64_t sum = bytes * static_cast<uint64_t>(number);
            const int64_t of_modules = number_of(weights.most(), bytes);
            all += sum;
            if (of_modules > 0 && number >= several * of_modules &&
                number_of(gradients.most(), bytes) >= number)
                trained += sum;
        }
        if (trained * 2 > all) sites.insert(site);
    }
    return sites;
}

// True if a module's forward() computes it without a graph, and it is there for the next pass.
bool may_replace_buffer(const LifeFacts& lives, const TensorLife& life) {
    const SiteFacts& facts = lives.facts(life);
    return facts.code == TrainingCode::forward && facts.is_answer && !facts.is_in_backward &&
           !facts.is_made && !facts.is_recorded.value_or(true) &&
           lives.lives_into_next_run(life, lives.run_at(life.born));
}

}  // namespace

std::vector<uint8_t> find_replaced_buffers(const LifeFacts& lives) {
    const std::vector<TensorLife>& all = lives.all();
    std::vector<uint8_t> found(all.size());
    std::map<std::pair<uint32_t, uint64_t>, std::vector<size_t>> last;  // by space and size
    std::set<SiteOfSpace> chains;  // sites of which one took the place of another
    std::vector<std::pair<size_t, size_t>> replaced;  // each, and what took its place
    for (size_t i = 0; i < all.size(); ++i) {
        const TensorLife& life = all[i];
        const SiteFacts& facts = lives.facts(life);
        std::vector<size_t>& before = last[{life.space, life.bytes}];
        if (facts.code == TrainingCode::user_module && !facts.is_parameter) before.push_back(i);
        if (before.empty() || !may_replace_buffer(lives, life)) continue;
        // The one that goes first of those that go before the next pass.
        std::erase_if(before, [&](size_t one) { return all[one].died <= life.born; });
        const auto first = std::min_element(before.begin(), before.end(), [&](size_t a, size_t b) {
            return all[a].died < all[b].died;
        });
        if (first == before.end() || all[*first].died == TensorLife::never ||
            lives.run_at(all[*first].died) != lives.run_at(life.born))
            continue;
        if (all[*first].site == life.site) chains.insert({life.space, life.site});
        replaced.emplace_back(*first, i);
        *first = i;
    }
    for (const auto& [old, by] : replaced) {
        if (chains.contains({all[by].space, all[by].site})) found[old] = found[by] = 1;
    }
    return found;
}

std::vector<uint64_t> find_exchanged_weights(const LifeFacts& lives) {
    return Exchanges(lives).run();
}

std::set<SiteOfSpace> find_trained_copies(const LifeFacts& lives) {
    std::set<SiteOfSpace> sites = given_back_with_gradients(lives);
    sites.merge(with_gradients_of_all(lives));
    return sites;
}

}  // namespace memtrace::analyzer
