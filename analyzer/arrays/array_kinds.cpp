// SPDX-License-Identifier: Apache-2.0
#include "analyzer/arrays/array_kinds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace memtrace::analyzer {
namespace {

// What is kept, always in the same place of a model: one array for ever, or one after the other, as
// each step replaces the weights.
struct Place {
    std::vector<size_t> lives;  // in the order of time
    uint64_t bytes = 0;

    bool is_replaced() const { return lives.size() > 1; }
};

// Finds the places of the arrays of one size. There are as many as arrays of that size are alive at
// every moment of the period.
class PlacesOfSize {
public:
    PlacesOfSize(const std::vector<TensorLife>& all, const std::vector<size_t>& lives,
                 const ArrayPeriod& period)
        : all_(all), lives_(lives), period_(period) {
        for (const size_t life : lives) {
            changes_.push_back({all[life].born, true, life});
            if (all[life].died != TensorLife::never) {
                changes_.push_back({all[life].died, false, life});
            }
        }
        // What is born in the moment in which another one dies takes its place.
        std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
            return a.time != b.time ? a.time < b.time : a.is_birth && !b.is_birth;
        });
    }

    std::vector<Place> find() {
        const size_t count = always_alive();
        if (count == 0) return {};
        follow(count);
        go_back();
        keep_others_of_call();
        return pair();
    }

private:
    struct Change {
        uint64_t time;
        bool is_birth;
        size_t life;
    };

    struct LivesLonger {
        const std::vector<TensorLife>& all;
        bool operator()(size_t a, size_t b) const {
            return all[a].died != all[b].died ? all[a].died > all[b].died : a < b;
        }
    };

    size_t always_alive() const {
        int64_t alive = 0;
        std::optional<int64_t> least;
        std::vector<int64_t> least_of;  // by quarter
        for (const Change& change : changes_) {
            if (change.time > period_.to) break;
            if (change.time > period_.from && !least) least = alive;
            while (least_of.size() < period_.quarters.size() &&
                   change.time > period_.quarters[least_of.size()]) {
                least_of.push_back(alive);
            }
            alive += change.is_birth ? 1 : -1;
            if (least) least = std::min(*least, alive);
            if (!least_of.empty()) least_of.back() = std::min(least_of.back(), alive);
        }
        const int64_t count = least.value_or(alive);
        return static_cast<size_t>(count - accumulated(count, least_of));
    }

    // Without steps, the training has been under way for long when the period begins: of what the
    // program keeps of each step, much is there already. It was as much as the steady rise from
    // quarter to quarter says.
    static int64_t accumulated(int64_t before, const std::vector<int64_t>& least_of) {
        constexpr int64_t quarters_before = 8;  // counted in bytes, as the period is
        constexpr int64_t unsteady_part = 6;    // of the whole rise, a third of an even one
        constexpr int64_t unsure_part = 8;      // a rest below this part may be none
        if (least_of.size() < 2) return 0;
        const int64_t rise = least_of.back() - least_of.front();
        const auto rises = static_cast<int64_t>(least_of.size()) - 1;
        if (rise < rises) return 0;
        for (size_t i = 1; i < least_of.size(); ++i) {
            if ((least_of[i] - least_of[i - 1]) * unsteady_part < rise) return 0;
        }
        const int64_t all = rise * quarters_before / rises;
        return all + all / unsure_part >= before ? before : all;
    }

    // From the period's begin on: when an array that is kept dies, the one that lives longest of
    // those that are there is kept from then on, or else the next one that is made.
    void follow(size_t count) {
        std::set<size_t, LivesLonger> free(LivesLonger{all_});
        size_t open = count;
        const auto keep_next = [&] {
            while (open > 0 && !free.empty()) {
                kept_.insert(*free.begin());
                free.erase(free.begin());
                open -= 1;
            }
        };
        bool has_begun = false;
        for (const Change& change : changes_) {
            if (!has_begun && change.time > period_.from) {
                has_begun = true;
                keep_next();
            }
            if (change.is_birth) {
                if (change.time <= period_.end) free.insert(change.life);
            } else if (kept_.contains(change.life)) {
                open += 1;
            } else {
                free.erase(change.life);
            }
            if (has_begun) keep_next();
        }
        if (!has_begun) keep_next();
    }

    // What was there before: of the arrays that died when a first one had been made, the eldest.
    void go_back() {
        const std::vector<size_t> first(kept_.begin(), kept_.end());
        for (size_t later : first) {
            while (all_[later].born <= period_.from) {
                const uint64_t born = all_[later].born;
                const auto before = std::find_if(lives_.begin(), lives_.end(), [&](size_t life) {
                    return all_[life].born < born && all_[life].died >= born &&
                           all_[life].died <= all_[later].died && !kept_.contains(life);
                });
                if (before == lives_.end()) break;
                later = *before;
                kept_.insert(later);
            }
        }
    }

    // A step may be started before the one before has ended. Then several results of a call are
    // there at once, and of two that take the same place one is passed over. A call that gives back
    // brief arrays, too, is no compiled step: its other results may be gradients.
    void keep_others_of_call() {
        struct Call {
            size_t kept = 0, all = 0;
            uint64_t shortest = TensorLife::never, shortest_kept = TensorLife::never;  // lives
        };
        std::map<uint32_t, Call> calls;  // by site
        for (const size_t life : lives_) {
            Call& call = calls[all_[life].site];
            const uint64_t length = all_[life].died - all_[life].born;
            call.all += 1;
            call.shortest = std::min(call.shortest, length);
            if (!kept_.contains(life)) continue;
            call.kept += 1;
            call.shortest_kept = std::min(call.shortest_kept, length);
        }
        for (const size_t life : lives_) {
            const Call& call = calls[all_[life].site];
            if (call.kept >= 2 && call.kept * 3 >= call.all &&
                call.shortest >= call.shortest_kept / 2) {
                kept_.insert(life);
            }
        }
    }

    // Each array that is kept follows the youngest of those that were there when it was made, and
    // that nothing younger follows: a step makes its results in the same order as the one before.
    // Seen from the end to the beginning.
    std::vector<Place> pair() const {
        std::vector<Change> changes;
        for (const Change& change : changes_) {
            if (kept_.contains(change.life)) changes.push_back(change);
        }
        std::set<size_t> unfollowed;
        std::map<size_t, size_t> place_of;  // by life; those are followed by none so far
        std::vector<Place> places;
        std::optional<size_t> waiting;  // a place whose first array follows one that died before
        const auto follow_with = [&](size_t place, size_t life) {
            places[place].lives.push_back(life);
            place_of[life] = place;
        };
        for (auto change = changes.rbegin(); change != changes.rend(); ++change) {
            const size_t life = change->life;
            if (!change->is_birth) {
                if (waiting) follow_with(*std::exchange(waiting, {}), life);
                else unfollowed.insert(life);
                continue;
            }
            unfollowed.erase(life);
            if (!place_of.contains(life)) {
                place_of[life] = places.size();
                places.push_back({{life}, all_[life].bytes});
            }
            const size_t place = place_of[life];
            if (!unfollowed.empty()) {
                follow_with(place, *unfollowed.rbegin());
                unfollowed.erase(std::prev(unfollowed.end()));
            } else if (change->time > period_.from) {
                waiting = place;
            }
        }
        for (Place& place : places) std::reverse(place.lives.begin(), place.lives.end());
        return places;
    }

    const std::vector<TensorLife>& all_;
    const std::vector<size_t>& lives_;  // in the order of births
    const ArrayPeriod& period_;
    std::vector<Change> changes_;
    std::set<size_t> kept_;
};

class Judge {
public:
    Judge(const TensorLives& arrays, const ArraySites& sites, const std::vector<size_t>& space_of)
        : lives_(arrays.lives), sites_(sites), space_of_(space_of) {}

    std::vector<TrainingKind> run(const ArrayPeriod& period) {
        std::vector<TrainingKind> kinds;
        std::map<std::pair<uint32_t, uint64_t>, std::vector<size_t>> sizes;  // by space and bytes
        for (size_t i = 0; i < lives_.size(); ++i) {
            kinds.push_back(origin_of(i) == ArrayOrigin::host ? TrainingKind::input
                                                              : TrainingKind::computed);
            sizes[{lives_[i].space, lives_[i].bytes}].push_back(i);
        }
        std::vector<Place> places;
        for (const auto& [size, of_size] : sizes) {
            for (Place& place : PlacesOfSize(lives_, of_size, period).find()) {
                places.push_back(std::move(place));
            }
        }
        begin_ = period.from;
        learn(places);
        for (const Place& place : places) {
            const TrainingKind kind = kind_of(place);
            for (const size_t life : place.lives) kinds[life] = kind;
        }
        return kinds;
    }

private:
    ArrayOrigin origin_of(size_t life) const {
        return sites_.of(space_of_[lives_[life].space], lives_[life].site);
    }

    void learn(const std::vector<Place>& places) {
        uint64_t all = 0, replaced = 0;
        std::map<uint64_t, size_t> stays;  // by size
        for (const Place& place : places) {
            if (place.is_replaced()) replaced_sizes_.insert(place.bytes);
            else stays[place.bytes] += 1;
            all += place.bytes;
            if (place.is_replaced()) replaced += place.bytes;
            if (origin_of(place.lives.front()) != ArrayOrigin::host) {
                computed_sizes_.insert(place.bytes);
            }
        }
        are_replaced_ = replaced * 2 >= all;
        for (const auto& [bytes, count] : stays) {
            if (count >= 2 && computed_sizes_.contains(bytes)) paired_sizes_.insert(bytes);
        }
    }

    // True if the program copies the next one to the same place again and again: a batch. Weights
    // may be copied twice before the first step.
    bool is_refilled(const Place& place) const {
        if (lives_[place.lives.back()].born <= begin_) return false;
        const auto copies = std::count_if(place.lives.begin(), place.lives.end(), [&](size_t life) {
            return origin_of(life) == ArrayOrigin::host;
        });
        return copies > 1 && static_cast<size_t>(copies) * 2 > place.lives.size();
    }

    // A compiled step may reuse the memory of some arrays and replace others, or what it computes
    // in between may seem to be kept. Weights have states of their sizes, and several sizes; data
    // mostly has neither.
    bool is_reused(const Place& place) const {
        const bool is_computed = origin_of(place.lives.front()) != ArrayOrigin::host;
        return (is_computed && replaced_sizes_.contains(place.bytes)) ||
               (paired_sizes_.size() >= 2 && paired_sizes_.contains(place.bytes));
    }

    TrainingKind kind_of(const Place& place) const {
        const ArrayOrigin origin = origin_of(place.lives.front());
        if (place.is_replaced() && !sites_.is_ordered()) return TrainingKind::model_state;
        if (origin == ArrayOrigin::optimiser) return TrainingKind::optimiser_state;
        if (origin == ArrayOrigin::layer) return TrainingKind::parameter;
        if (is_refilled(place)) return TrainingKind::input;
        if (place.is_replaced()) return TrainingKind::model_state;
        if (are_replaced_)
            return is_reused(place) ? TrainingKind::model_state : TrainingKind::input;
        // The program learns in place. Beside weights from the program's own memory there is mostly
        // something of their size; without it they may be data.
        const bool has_partner = computed_sizes_.contains(place.bytes);
        return has_partner ? TrainingKind::model_state : TrainingKind::unknown;
    }

    const std::vector<TensorLife>& lives_;
    const ArraySites& sites_;
    const std::vector<size_t>& space_of_;
    bool are_replaced_ = false;          // most of what is kept
    std::set<uint64_t> computed_sizes_;  // of what is kept and was not copied from the host
    std::set<uint64_t> replaced_sizes_;  // of places that are replaced
    std::set<uint64_t> paired_sizes_;    // such that at least two places of them always stay
    uint64_t begin_ = 0;                 // of the period
};

}  // namespace

std::vector<TrainingKind> array_kinds(const TensorLives& arrays, const ArraySites& sites,
                                      const std::vector<size_t>& space_of,
                                      const ArrayPeriod& period) {
    return Judge(arrays, sites, space_of).run(period);
}

TrainingSteps array_steps(const TensorLives& arrays, TrainingSteps steps) {
    uint64_t all = 0, inside = 0;
    for (const TensorLife& life : arrays.lives) {
        all += life.bytes;
        if (steps.number_at(life.born) != 0) inside += life.bytes;
    }
    if (steps.count() >= 3 && inside * 2 >= all) return steps;
    TrainingSteps none;
    none.why_none = steps.count() == 0 ? std::move(steps.why_none)
                                       : "no loop was found in which most of the arrays are made";
    return none;
}

ArrayPeriod array_period(const TensorLives& arrays, const TrainingSteps& steps) {
    if (steps.count() != 0) return {steps.begins[1], steps.begins.back(), steps.end};
    if (arrays.lives.empty()) return {};
    // What is made and stays is the model. Where each step works on that in place, it is most of
    // all bytes, and the steps are where something comes and goes.
    const uint64_t last = arrays.lives.back().born;
    const auto goes = [last](const TensorLife& life) { return life.died <= last; };
    const bool has_any = std::any_of(arrays.lives.begin(), arrays.lives.end(), goes);
    const auto bytes_of = [&](const TensorLife& life) {
        return !has_any || goes(life) ? life.bytes : 0;
    };
    uint64_t all = 0;
    for (const TensorLife& life : arrays.lives) all += bytes_of(life);
    const auto after = [&](uint64_t sixteenths) {
        uint64_t bytes = 0;
        const auto found =
            std::find_if(arrays.lives.begin(), arrays.lives.end(), [&](const TensorLife& life) {
                return (bytes += bytes_of(life)) >= all / 16 * sixteenths;
            });
        return found == arrays.lives.end() ? last : found->born;
    };
    return {after(8), after(12), last, {after(8), after(9), after(10), after(11)}};
}

}  // namespace memtrace::analyzer
