// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/learned_sizes.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace memtrace::analyzer {
namespace {

// Tensors of this size or less come in all programs, whatever they are for.
constexpr uint64_t tiny = 64;

// A smaller matrix could have factors by chance; the square of a larger size needs more bits.
constexpr uint64_t factored_min = 1 << 10, factored_max = uint64_t{1} << 31;

ModelShape shape_of(NumberBySize sizes, uint64_t grain) {
    std::erase_if(sizes,
                  [grain](const auto& entry) { return entry.first <= std::max(grain, tiny); });
    return ModelShape(std::move(sizes), grain);
}

bool have_size_in_common(const ModelShape& a, const ModelShape& b) {
    return std::any_of(a.sizes().begin(), a.sizes().end(),
                       [&](const auto& entry) { return b.contains(entry.first); });
}

bool is_parameter_of_module(const SiteFacts& facts) {
    if (facts.code == TrainingCode::norm_module) return !facts.is_buffer_of_norm();
    return LifeFacts::is_made_by_module(facts) || facts.is_parameter;
}

}  // namespace

LearnedSizes::LearnedSizes(const LifeFacts& lives) : lives_(lives) {
    std::map<std::pair<std::ptrdiff_t, uint64_t>, int64_t> gradients;  // by run and size
    NumberBySize most;
    const bool is_rounded =
        std::any_of(lives_.all().begin(), lives_.all().end(), [this](const TensorLife& life) {
            return lives_.facts(life).is_in_backward && lives_.is_on_device(life);
        });
    grain_ = is_rounded ? device_grain : 1;
    AliveAtOnce parameters(grain_);
    for (const TensorLife& life : lives_.all()) {
        const SiteFacts& facts = lives_.facts(life);
        const std::ptrdiff_t run = lives_.run_at(life.born);
        if (facts.is_in_backward && lives_.is_in(run, life.born) &&
            facts.code != TrainingCode::forward && lives_.outlives(life, run)) {
            if (facts.own_functions == 0) of_engine_.insert(life.bytes);
            if (facts.is_of_gradient && life.died != TensorLife::never &&
                lives_.lives_into_next_run(life, run, 3))
                kept_gradients_.insert({life.space, life.site});
            int64_t& number = most[life.bytes];
            number = std::max(number, ++gradients[{run, life.bytes}]);
            uint64_t& until = gradients_until_[{run, life.bytes}];
            until = std::max(until, life.died);
        }
        if (facts.code == TrainingCode::optimiser && lives_.lives_into_next_run(life, run))
            of_optimiser_.insert(life.bytes);
        if (run < 0 && LifeFacts::is_made_by_module(facts)) module_sizes_.insert(life.bytes);
        else if (run < 0 && (facts.is_parameter || facts.code == TrainingCode::user_module))
            plain_sizes_.insert(life.bytes);
        if ((LifeFacts::is_made_by_module(facts) || facts.is_parameter) &&
            lives_.lives_into_next_run(life, run)) {
            parameters.add(life);
            uint64_t& until = module_until_[life.bytes];
            until = std::max(until, life.died);
        }
        if (lives_.is_like_state(life)) {
            kept_[run][life.bytes] += 1;
            if (facts.is_filled) filled_after_[{life.space, life.site}].insert(run);
        }
        if (lives_.is_computed_aside(life, run) && lives_.lives_into_next_run(life, run))
            renewed_[run][life.bytes] += 1;
    }
    std::erase_if(most, [&](const auto& entry) {
        return !of_engine_.contains(entry.first) && !parameters.most().contains(entry.first);
    });
    spare_gradients_ = most;
    for (auto& [bytes, spare] : spare_gradients_) {
        const auto found = parameters.most().find(bytes);
        if (found != parameters.most().end()) spare -= found->second;
    }
    gradients_ = ModelShape(std::move(most), grain_);
    parameters_ = shape_of(parameters.most(), grain_);
    parameters_size_ = ModelShape(parameters.most(), grain_).size();
    std::erase_if(plain_sizes_, [this](uint64_t bytes) { return !is_learned(bytes); });
    const bool are_own = !plain_sizes_.empty() && *plain_sizes_.rbegin() > std::max(grain_, tiny);
    makes_gradients_ = parameters_.empty()
                           ? !gradients_.empty()
                           : are_own || have_size_in_common(parameters_, gradients_);
    // Without a backward pass nobody has gradients.
    if (!makes_gradients_ && !lives_.runs().empty()) held_gradients_ = parameters_.sizes();
    find_sets();
    find_plain_parameters();
    find_factors();
    find_gathered();
    find_gradients_by_hand();
    find_wholes();
}

bool LearnedSizes::is_of_hook(const TensorLife& life) const {
    return lives_.facts(life).own_functions != 0 && !of_engine_.contains(life.bytes) &&
           !module_until_.contains(life.bytes);
}

bool LearnedSizes::is_sum_of_gradients(const TensorLife& life) const {
    const auto found = filled_after_.find({life.space, life.site});
    return lives_.sites().has_optimiser() && life.died != TensorLife::never &&
           found != filled_after_.end() && found->second.size() > 1;
}

// True if an optimiser keeps states for most of the sizes that are learned, so that what has none
// gets a gradient, and is not learned, as the points at which an equation is solved.
bool LearnedSizes::is_told_by_optimiser(const std::set<uint64_t>& sizes) const {
    const auto have_state = std::count_if(sizes.begin(), sizes.end(), [this](uint64_t bytes) {
        return of_optimiser_.contains(bytes);
    });
    return have_state > 0 && static_cast<size_t>(have_state) * 2 >= sizes.size();
}

// Of tensors that stay and have the size of a gradient, as many as there are gradients that belong
// to no parameter of a module: those that their expression asks a gradient for, and then the first,
// because states and copies are made after what they belong to.
void LearnedSizes::find_plain_parameters() {
    NumberBySize left = spare_gradients_;
    std::vector<size_t> candidates;
    for (size_t i = 0; i < lives_.all().size(); ++i) {
        const TensorLife& life = lives_.all()[i];
        if (lives_.run_at(life.born) >= 0) break;
        const SiteFacts& facts = lives_.facts(life);
        if (!is_learned(life.bytes) || is_of_module(life.bytes) || !lives_.stays(life, -1))
            continue;
        if (facts.code == TrainingCode::none && !facts.is_in_backward && !facts.is_parameter)
            candidates.push_back(i);
        if (facts.code == TrainingCode::user_module && !facts.is_parameter) take(left, life.bytes);
    }
    std::set<uint64_t> sizes;
    for (const size_t i : candidates) sizes.insert(lives_.all()[i].bytes);
    for (const uint64_t bytes : module_sizes_) {
        if (is_learned(bytes)) sizes.insert(bytes);
    }
    if (is_told_by_optimiser(sizes)) {
        std::erase_if(candidates,
                      [this](size_t i) { return !of_optimiser_.contains(lives_.all()[i].bytes); });
    }
    for (const bool is_leaf : {true, false}) {
        for (const size_t i : candidates) {
            const TensorLife& life = lives_.all()[i];
            if (lives_.facts(life).is_leaf != is_leaf || !take(left, life.bytes)) continue;
            plain_parameters_.insert(i);
            plain_sizes_.insert(life.bytes);
        }
    }
}

// Only what the program computes between the passes: data may have such sizes by chance.
void LearnedSizes::find_factors() {
    std::set<uint64_t> sizes;
    for (const TensorLife& life : lives_.all()) {
        const std::ptrdiff_t run = lives_.run_at(life.born);
        if (lives_.is_computed_aside(life, run) && lives_.lives_into_next_run(life, run))
            sizes.insert(life.bytes);
    }
    uint64_t met = 0, all = 0;
    std::set<uint64_t> found;
    for (const auto& [bytes, number] : model().sizes()) {
        if (bytes < factored_min || bytes > factored_max) continue;
        bool has_pair = false;
        for (const uint64_t one : sizes) {
            if (bytes * bytes % one != 0 || !sizes.contains(bytes * bytes / one)) continue;
            found.insert(one);
            has_pair |= one != bytes;
        }
        // Those of a square matrix have its own size, as any state has.
        if (!has_pair && found.contains(bytes)) continue;
        all += bytes * static_cast<uint64_t>(number);
        if (has_pair) met += bytes * static_cast<uint64_t>(number);
    }
    if (met > 0 && met * 2 >= all) factors_ = std::move(found);
}

bool LearnedSizes::take(NumberBySize& numbers, uint64_t bytes) {
    const auto found = numbers.find(bytes);
    if (found == numbers.end() || found->second <= 0) return false;
    found->second -= 1;
    return true;
}

void LearnedSizes::find_sets() {
    for (const auto& [run, sizes] : kept_) {
        auto& are_met = are_kept_met_[run];
        for (size_t i = 0; i < precisions.size(); ++i)
            are_met[i] = model().is_surely_met_by(sizes, precisions[i]);
    }
    if (gradients_.sizes().size() < 2) return;
    // Where there is no optimiser, something has to replace the weights.
    const bool is_sure = lives_.sites().has_optimiser();
    for (const auto& [run, sizes] : renewed_) {
        are_renewed_met_[run] =
            is_sure ? gradients_.is_surely_met_by(sizes) : gradients_.is_met_by(sizes);
    }
}

bool LearnedSizes::is_in_kept_set(const TensorLife& life, std::ptrdiff_t run) const {
    const auto found = are_kept_met_.find(run);
    if (found == are_kept_met_.end()) return false;
    for (size_t i = 0; i < precisions.size(); ++i) {
        const Precision precision = precisions[i];
        const bool has_size =
            precision == Precision::same
                ? module_sizes_.contains(life.bytes) || plain_sizes_.contains(life.bytes)
                : model().contains(life.bytes, precision);
        if (has_size && found->second[i]) return true;
    }
    return false;
}

bool LearnedSizes::is_in_renewed_set(const TensorLife& life, std::ptrdiff_t run) const {
    const auto found = are_renewed_met_.find(run);
    return found != are_renewed_met_.end() && found->second && is_learned(life.bytes) &&
           lives_.is_computed_aside(life, run) && lives_.lives_into_next_run(life, run);
}

bool LearnedSizes::are_renewed_all(const TensorLife& life, std::ptrdiff_t run) const {
    return renewed_.at(run).at(life.bytes) <= gradients_.sizes().at(life.bytes);
}

bool LearnedSizes::outlives_module(const TensorLife& life) const {
    const auto found = module_until_.find(life.bytes);
    const bool is_replaced = found != module_until_.end() && !lives_.runs().empty() &&
                             found->second < lives_.runs().back().begin;
    return is_replaced && life.died > found->second;
}

void LearnedSizes::find_gathered() {
    std::map<Site, AliveAtOnce> alive;
    for (const TensorLife& life : lives_.all()) {
        const std::ptrdiff_t run = lives_.run_at(life.born);
        if (!is_learned(life.bytes) || !lives_.is_computed_aside(life, run) ||
            !lives_.lives_into_next_run(life, run))
            continue;
        alive.try_emplace({life.space, life.site}, grain_).first->second.add(life);
    }
    for (const auto& [site, of_site] : alive) {
        for (const auto& [bytes, most] : of_site.most()) {
            if (most > 2 * gradients_.sizes().at(bytes)) gathered_.insert({site, bytes});
        }
    }
}

bool LearnedSizes::are_gathered(const TensorLife& life) const {
    return gathered_.contains({{life.space, life.site}, life.bytes});
}

std::optional<LearnedSizes::Whole> LearnedSizes::whole(size_t life) const {
    const auto found = wholes_.find(life);
    if (found == wholes_.end()) return {};
    return found->second;
}

void LearnedSizes::find_gradients_by_hand() {
    std::map<std::ptrdiff_t, std::vector<size_t>> made;  // by the run before
    for (size_t i = 0; i < lives_.all().size(); ++i) {
        const TensorLife& life = lives_.all()[i];
        const std::ptrdiff_t run = lives_.run_at(life.born);
        if (lives_.is_computed_aside(life, run) && !lives_.is_in(run, life.born) &&
            !lives_.lives_into_next_run(life, run)) {
            made[run].push_back(i);
        }
    }
    ChangingSet same(model(), Precision::same), twice(model(), Precision::twice);
    for (const auto& [run, of_run] : made) {
        find_gradients_of_run(of_run, same, Precision::same);
        if (makes_gradients_) find_gradients_of_run(of_run, twice, Precision::twice);
    }
}

// Of those that are made between two backward passes, the set that meets most of the model's sizes
// at one moment is its gradients: if the backward pass makes none, if they replace those that it
// made, or if they are copies of these in another precision. The set is empty before and after.
void LearnedSizes::find_gradients_of_run(const std::vector<size_t>& made, ChangingSet& set,
                                         Precision precision) {
    const auto& lives = lives_.all();
    std::priority_queue<std::pair<uint64_t, size_t>, std::vector<std::pair<uint64_t, size_t>>,
                        std::greater<>>
        deaths;
    const bool are_replaced = makes_gradients_ && precision == Precision::same;
    const auto replaces = [&](const TensorLife& life) {
        if (!are_replaced) return true;
        const auto found = gradients_until_.find({lives_.run_at(life.born), life.bytes});
        return found != gradients_until_.end() && life.born < found->second &&
               found->second < life.died;
    };
    uint64_t best = 0, moment = 0;
    for (const size_t i : made) {
        const TensorLife& life = lives[i];
        if (!set.has_place_for(life.bytes) || !replaces(life)) continue;
        for (; !deaths.empty() && deaths.top().first <= life.born; deaths.pop())
            set.remove(lives[deaths.top().second].bytes);
        set.add(life.bytes);
        deaths.emplace(life.died, i);
        // The last such moment: until then, what gradients are computed from may stand for them.
        // A part of the model may be enough where each takes the place of a gradient: several
        // tasks share a body, and each has a head.
        const uint64_t met = are_replaced ? set.met_in_some_sizes() : set.met();
        if (met < best) continue;
        best = met;
        moment = life.born;
    }
    for (; !deaths.empty(); deaths.pop()) set.remove(lives[deaths.top().second].bytes);
    if (best == 0) return;
    std::map<uint64_t, std::vector<size_t>> alive;  // by size
    for (const size_t i : made) {
        const TensorLife& life = lives[i];
        if (set.has_place_for(life.bytes) && replaces(life) && life.is_alive_at(moment))
            alive[life.bytes].push_back(i);
    }
    // Those that live longest, because others may be computed from them.
    for (auto& [bytes, of_size] : alive) {
        std::stable_sort(of_size.begin(), of_size.end(),
                         [&](size_t a, size_t b) { return lives[a].died > lives[b].died; });
        of_size.resize(std::min(of_size.size(), static_cast<size_t>(set.places_for(bytes))));
        by_hand_.insert(of_size.begin(), of_size.end());
    }
}

// True if it is made in the training, and parameters that modules made are gone by the next run.
bool LearnedSizes::takes_place_of(const std::vector<size_t>& modules, const TensorLife& life,
                                  std::ptrdiff_t run) const {
    const auto next = static_cast<size_t>(run + 1);
    if (!lives_.is_computed_aside(life, run) || next >= lives_.runs().size()) return false;
    uint64_t left = 0;
    for (const size_t i : modules) {
        const TensorLife& of_module = lives_.all()[i];
        if (of_module.is_alive_at(lives_.runs()[next].begin)) left += of_module.bytes;
    }
    return left < parameters_size_.bytes / 2;
}

// Parameters that modules made are copied to one place, and the places where they were are given
// back; or they stay, and only their gradients and states are in one place.
void LearnedSizes::find_wholes() {
    std::map<Site, AliveAtOnce> alive;
    for (const TensorLife& life : lives_.all()) {
        if (has_whole_model(life.bytes, parameters_size_))
            alive.try_emplace({life.space, life.site}, grain_).first->second.add(life);
    }
    // Of several results of one line, the size may be that of a model by chance.
    const auto is_one_of_many = [&](const TensorLife& life) {
        const auto found = alive.find({life.space, life.site});
        return found != alive.end() && found->second.most().at(life.bytes) > 2 &&
               !has_whole_model(life.bytes, parameters_size_, false);
    };
    AliveAtOnce parameters(grain_);
    std::vector<size_t> modules;  // parameters that modules made
    ModelSize model = parameters_size_;
    bool makes_gradients = makes_gradients_, has_parameters = false;
    uint64_t flat_bytes = 0;  // of the parameters that are one tensor
    for (size_t i = 0; i < lives_.all().size(); ++i) {
        const TensorLife& life = lives_.all()[i];
        const SiteFacts& facts = lives_.facts(life);
        const std::ptrdiff_t run = lives_.run_at(life.born);
        parameters.go_to(life.born);
        if (run < 0 && is_parameter_of_module(facts)) {
            parameters.add(life);
            modules.push_back(i);
        }
        const bool is_plain = facts.code == TrainingCode::none && !facts.is_in_backward &&
                              !facts.is_recorded.value_or(false);
        if (!is_plain || !lives_.lives_into_next_run(life, run) || is_one_of_many(life)) continue;
        if (has_whole_model(life.bytes, parameters_size_) && takes_place_of(modules, life, run)) {
            wholes_[i] = Whole::parameters;
            continue;
        }
        if (!lives_.lives_into_next_run(life, run, 3)) continue;
        if (!has_parameters && run < 0 && !facts.is_filled &&
            has_whole_model(life.bytes, parameters.size()) &&
            parameters_size_.bytes < parameters.size().bytes / 2) {
            wholes_[i] = Whole::parameters;
            has_parameters = true;
            flat_bytes = life.bytes;
            model = parameters.size();
            makes_gradients = gradients_.contains(life.bytes) ||
                              have_size_in_common(shape_of(parameters.now(), grain_), gradients_);
            continue;
        }
        // A set of data may be as large as the model. A copy of the weights is exactly that.
        const bool is_exact = has_whole_model(life.bytes, model, false) || life.bytes == flat_bytes;
        if (run < 0 && (facts.is_data() || (!facts.is_filled && !is_exact))) continue;
        if (!has_whole_model(life.bytes, model)) continue;
        const bool is_gradient = !makes_gradients && facts.is_filled && !lives_.runs().empty();
        makes_gradients |= is_gradient;
        wholes_[i] = is_gradient ? Whole::gradients : Whole::state;
    }
}

}  // namespace memtrace::analyzer
