// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "analyzer/base/units.h"
#include "analyzer/growth/growth_window.h"

namespace memtrace::analyzer {
namespace {

constexpr double survivors_min = 8;  // Fewer survivors are not enough evidence.
constexpr double window_min = 0.25;  // A leak must last at least this part of the run.
constexpr size_t parts_max = 10;

// Returns how many times the value fell by half of its range and rose again.
size_t cycles(const Values& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double half = (*high - *low) / 2;
    if (half <= 0) return 0;
    size_t count = 0;
    bool has_fallen = false;
    // The highest value since the last rise, or the lowest since the last fall.
    double edge = values[0];
    for (const double value : values) {
        edge = has_fallen ? std::min(edge, value) : std::max(edge, value);
        if (!has_fallen && edge - value >= half) {
            has_fallen = true;
            edge = value;
        } else if (has_fallen && value - edge >= half) {
            has_fallen = false;
            edge = value;
            count += 1;
        }
    }
    return count;
}

// Returns in how many of ten parts of the slices [begin, n) the value rises.
size_t rising_bins(const Values& values, size_t begin) {
    const size_t length = values.size() - begin;
    const size_t bins = std::min(parts_max, length);
    size_t count = 0;
    for (size_t i = 0; i < bins; ++i) {
        const size_t from = begin + i * length / bins;
        const size_t to = begin + (i + 1) * length / bins;
        count += values[to - 1] > (from == 0 ? 0 : values[from - 1]);
    }
    return count;
}

// Returns the mean size of the blocks held at the end of each slice; 0 before the first ones.
Values sizes_of(const Curve& curve) {
    Values sizes(curve.size());
    for (size_t i = 0; i < sizes.size(); ++i) {
        const double before = i == 0 ? 0 : sizes[i - 1];
        sizes[i] = curve.blocks[i] > 0 ? curve.bytes[i] / curve.blocks[i] : before;
    }
    return sizes;
}

// True if a block or two are enlarged from time to time. The code that enlarges them still has
// their addresses. A slice may end while the new one and the old one are both there, so it is their
// size that tells.
bool is_enlarged(const Curve& curve) {
    constexpr double enlarged_min = 1.05;
    constexpr double blocks_max = 4;  // two that are enlarged, each beside its old one
    const Values floor = floor_of(sizes_of(curve));
    const size_t n = floor.size();
    if (highest_of(curve.blocks, 0, n) > blocks_max) return false;
    size_t count = 0, early = 0, last = 0, before = 0;
    double level = 0;
    for (size_t i = 0; i < n; ++i) {
        if (floor[i] <= level * enlarged_min) continue;
        const bool is_first = level == 0;
        level = floor[i];
        if (is_first) continue;
        count += 1;
        early += 4 * i < 3 * n;
        before = last;
        last = i;
    }
    // The floor of a block that is now larger and now smaller rises at the end only. Each doubling
    // takes twice as long as the last one, or a little longer. After more than that it is not
    // enlarged any more.
    return count >= 3 && early >= 2 && 4 * (n - last) <= 9 * (last - before) + 8;
}

// True if what rises from the middle on is the size of the blocks, and hardly their number.
bool become_larger(const Curve& curve, double rise) {
    const size_t n = curve.size();
    const Values floor = floor_of(curve.blocks);
    const double more = floor[n - 1] - highest_of(curve.blocks, 0, n / 2);
    return more * curve.bytes[n - 1] <= rise * curve.blocks[n - 1] / 4;
}

Judgement grown(const Curve& curve, Verdict verdict, double confidence, size_t since,
                std::string why) {
    const size_t n = curve.size();
    Judgement result{verdict, confidence, since, n, 0, 0, false, std::move(why)};
    const double before_bytes = since == 0 ? 0 : curve.bytes[since - 1];
    const double before_blocks = since == 0 ? 0 : curve.blocks[since - 1];
    result.grown_bytes = std::max(0.0, curve.bytes[n - 1] - before_bytes);
    result.grown_blocks = std::max(0.0, curve.blocks[n - 1] - before_blocks);
    return result;
}

// Of a curve of `n` slices that does not grow any more.
Judgement at_rest(Verdict verdict, size_t n, std::string why) {
    return {verdict, 0.9, 0, n, 0, 0, false, std::move(why)};
}

Judgement periodic(size_t n, size_t count) {
    return at_rest(Verdict::periodic, n, fmt::format("it rose and fell {} times", count));
}

Judgement warm_up(size_t n) {
    return at_rest(Verdict::warm_up, n, "what it holds it has held since early on");
}

// `until`: the part of the run in which it grew.
Judgement grew_until(double until, size_t n, bool is_same_work) {
    return at_rest(is_same_work ? Verdict::cache : Verdict::loaded, n,
                   fmt::format("it grew up to {:.0f} % of the run, and {}", until * 100,
                               is_same_work ? "the program goes on without any more"
                                            : "no more of it stayed after that"));
}

// Returns the part of the run, in time or steps, that is over at the end of a slice. Half of the
// slices are cut by events, so their number tells little: a start may take half of them.
double part_until(const Curve& curve, size_t slice) {
    const double all = curve.at.back();
    return all > 0 ? curve.at[std::min(slice, curve.size() - 1)] / all : 1;
}

// Judges a curve that is not a leak by its survivors.
Judgement judge_shape(const Curve& curve, const SameWork& same_work) {
    const size_t n = curve.size();
    const double end = curve.bytes[n - 1];
    constexpr const char* larger =
        "its blocks are hardly more, but ever larger: who makes a block larger has not lost it, "
        "but it grows as long as that goes on";
    if (is_enlarged(curve)) {
        const bool is_one = highest_of(curve.blocks, 0, n) <= 2;
        return grown(curve, Verdict::growing, 0.5, 0,
                     is_one ? "one block is made larger again and again: who does that has not "
                              "lost it, but it grows as long as that goes on"
                            : larger);
    }
    if (const size_t moments = few_moments(curve); moments != 0) {
        return grown(curve, Verdict::growing, 0.5, 0,
                     fmt::format("it grew at {} moments, and nothing of it has gone: too few to "
                                 "tell whether it goes on",
                                 moments));
    }
    const Values floor = floor_of(curve.bytes);
    const size_t count = cycles(curve.bytes);
    const bool comes_back = floor[n / 2] <= floor[n / 5] * 1.2;
    if (count >= 2 && comes_back) return periodic(n, count);
    const double rise = floor[n - 1] - highest_of(curve.bytes, 0, n / 2);
    const bool goes_on = floor[n - 1] - floor[n - 1 - n / 4] > (floor[n - 1] - floor[n / 2]) / 5;
    if (rise > end / 10 && goes_on && rising_bins(floor, n / 2) >= 5) {
        if (become_larger(curve, rise)) {
            return grown(curve, Verdict::growing, 0.5, 0, larger);
        }
        return grown(curve, Verdict::growing, 0.5, 0,
                     "more and more is held, but old blocks go: it may be a queue that is filled "
                     "faster than it is emptied");
    }
    if (count >= 2) return periodic(n, count);
    const double level = median_of(
        {curve.bytes.begin() + static_cast<ptrdiff_t>(n - (n + 3) / 4), curve.bytes.end()});
    if (level == 0 || end < level / 2)
        return at_rest(Verdict::steady, n, "what it takes it gives back");
    size_t full = 0;
    while (full < n && curve.bytes[full] < level * 0.9) ++full;
    const double share = part_until(curve, full);
    const double old = sum_of(curve.born_blocks, 0, std::min(n, full + n / 10 + 1));
    const bool keeps = old >= curve.blocks[n - 1] / 2;
    // A start is early if either tells so: imports take long, and an initialiser many events.
    if (share > 0.15 && static_cast<double>(full) > 0.15 * static_cast<double>(n)) {
        size_t low = 0;
        while (low < full && curve.bytes[low] < level * 0.1) ++low;
        // A phase that left something behind is no cache that is full, whatever it left.
        if (keeps && !same_work(low, full + 1)) return grew_until(share, n, false);
        return at_rest(Verdict::cache, n,
                       fmt::format("it was full after {:.0f} % of the run{}", share * 100,
                                   keeps ? "" : ", and old blocks go for new ones"));
    }
    if (keeps) return warm_up(n);
    return at_rest(Verdict::steady, n, "it holds about the same all the time, and old blocks go");
}

double confidence_of(const Curve& curve, const Window& window) {
    const double evidence = 1 - std::exp(-window.survivors / 6);
    const double part =
        static_cast<double>(window.end - window.begin) / static_cast<double>(curve.size());
    return std::min(0.99, evidence * window.coverage * std::min(1.0, 0.85 + part / 4));
}

// True if the survivors came at so few moments that each may have a reason of its own: the first
// command of its kind, the first page of its size. What one moment keeps may be many blocks.
bool came_rarely(const Curve& curve, const Window& window) {
    const auto first = curve.born_blocks.begin();
    const auto moments = static_cast<size_t>(std::count_if(
        first + static_cast<ptrdiff_t>(window.begin), first + static_cast<ptrdiff_t>(window.end),
        [](double born) { return born > 0; }));
    return static_cast<double>(moments) < survivors_min && 2 * moments < window.end - window.begin;
}

// Returns the window of a leak beside a cache that has been full since this slice; nothing if there
// are too few survivors to tell it from chance.
std::optional<Window> leaking_when_full(const Curve& curve, size_t full) {
    std::optional<Window> window = find_window_when_full(curve, full);
    if (window && (window->survivors < survivors_min || came_rarely(curve, *window))) return {};
    return window;
}

Judgement rises_beside_cache(const Curve& curve, size_t full) {
    return grown(curve, Verdict::growing, 0.5, full,
                 "old blocks go for new ones, but what it holds still rises, evenly and by a "
                 "little: something may stay beside a cache that is full");
}

std::string many(double blocks) {
    return counted(static_cast<uint64_t>(std::llround(blocks)), "block");
}

}  // namespace

std::string_view word_of(Verdict verdict) {
    static constexpr std::array<std::string_view, 8> words{
        "leak", "growing", "loaded", "bounded", "cache", "warm-up", "periodic", "steady"};
    return words[static_cast<size_t>(verdict)];
}

namespace {

// Judges a curve by its survivors, or else by its shape.
Judgement judge_course(const Curve& curve, const SameWork& same_work) {
    const size_t n = curve.size();
    size_t end = end_of_births(curve);
    const bool stops = is_gap(curve, end);
    if (!stops) end = n;
    std::optional<Window> window = find_window(curve, end);
    for (const size_t part : newest_parts) {
        if (window || stops) break;
        window = find_window(curve, n - n / part);
        // The blocks are released, only slowly.
        if (window && is_rising(curve, *window)) window.reset();
    }
    if (!window) {
        Judgement result = judge_shape(curve, same_work);
        result.too_few = sum_of(curve.born_blocks, n / 8, n) > 0;
        return result;
    }
    const double part = static_cast<double>(end - window->begin) / static_cast<double>(n);
    // No new blocks stay. Either the memory is full, or the program now does something else.
    const bool is_over = static_cast<double>(n - end) > static_cast<double>(n) / 4;
    if (stops && (is_over || same_work(window->begin, end))) {
        const double until = part_until(curve, end - 1);
        if (begins_early(curve, *window) && (until <= 0.3 || end * 10 <= n * 3)) return warm_up(n);
        return grew_until(until, n, same_work(window->begin, end));
    }
    Window whole = *window;
    if (!stops) whole.end = n;  // The newest blocks may be in use.
    if (const std::optional<size_t> full = stopped_at(curve, whole)) {
        window = stops ? std::nullopt : leaking_when_full(curve, *full);
        if (!window && !stops && rises_when_full(curve, *full))
            return rises_beside_cache(curve, *full);
    }
    bool is_beside_cache = window && window->begin != whole.begin;
    const Rise rise = window && !is_beside_cache ? rise_of_level(curve, whole) : Rise::by_survivors;
    if (rise == Rise::none && !stops) {
        const size_t bend = bend_of(curve, whole);
        window = leaking_when_full(curve, bend);
        if (!window && rises_when_full(curve, bend)) return rises_beside_cache(curve, bend);
        is_beside_cache = window.has_value();
    } else if (rise == Rise::none || (window && has_begun_to_evict(curve, whole))) {
        window.reset();
    }
    if (!window)
        return at_rest(Verdict::cache, n, "it has stopped growing, and old blocks go for new ones");
    if (!stops && !is_beside_cache && goes_in_order(curve, whole))
        return judge_shape(curve, same_work);
    const Window counted = *window;
    if (!stops) window->end = n;
    Judgement result =
        grown(curve, Verdict::leak, confidence_of(curve, *window), window->begin, "");
    result.until = end;
    result.grown_blocks = window->survivors;
    result.grown_bytes = sum_of(curve.born_bytes, counted.begin, counted.end);
    result.too_few = window->survivors < survivors_min || came_rarely(curve, *window);
    const std::string what = fmt::format("of what it acquired since then, {} of all times stayed",
                                         many(window->survivors));
    if (result.too_few) {
        result.verdict = Verdict::growing;
        result.why = what + ": too few to be sure";
    } else if (rise == Rise::unclear) {
        result.verdict = Verdict::growing;
        result.why = what +
                     ", but what is held has not risen by as many: they may have taken the "
                     "place of others";
    } else if (!stops && !is_beside_cache && comes_to_rest(curve, whole)) {
        result.verdict = Verdict::growing;
        result.why = what +
                     ", but ever more of the newer ones, while what is held rises ever less: they "
                     "may be released, only slowly";
    } else if (part < window_min) {
        result.verdict = Verdict::growing;
        result.why = what + ", but it has been so for a small part of the run only";
    } else if (window->has_fallen && !begins_early(curve, *window)) {
        result.verdict = Verdict::growing;
        result.why = what + ", but what it held before has gone again: this may, too";
    } else if (window->slows) {
        result.verdict = Verdict::growing;
        result.why = what + ", but ever fewer of them: it may be a cache that is not full yet";
    } else {
        result.why = what;
        if (!is_rising(curve, counted)) result.why += ", as many at the end as at the beginning";
    }
    if (result.verdict != Verdict::leak) result.confidence = std::min(result.confidence, 0.5);
    return result;
}

}  // namespace

Judgement judge(const Curve& curve, const SameWork& same_work) {
    if (curve.size() == 0) return {};
    Judgement result = judge_course(curve, same_work);
    const bool is_at_rest = result.verdict == Verdict::cache || result.verdict == Verdict::warm_up;
    if (!is_at_rest || !takes_ever_larger(curve)) return result;
    return grown(curve, Verdict::growing, 0.5, 0,
                 "each block that it took is larger than the one before, none has gone, and the "
                 "last one may not be used up yet: nobody can tell whether it is full");
}

}  // namespace memtrace::analyzer
