// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "analyzer/units.h"

namespace memtrace::analyzer {
namespace {

using Values = std::vector<double>;

constexpr size_t bins_min = 4, bins_max = 10;
constexpr double survivors_min = 8;  // Fewer are no ground to accuse anybody.
constexpr double window_min = 0.25;  // A leak is at work for such a part of the run, at least.
constexpr double early = 0.12;       // What begins before is there from the beginning.

double sum(const Values& values, size_t begin, size_t end) {
    return std::accumulate(values.begin() + static_cast<ptrdiff_t>(begin),
                           values.begin() + static_cast<ptrdiff_t>(end), 0.0);
}

double highest(const Values& values, size_t begin, size_t end) {
    return begin >= end ? 0
                        : *std::max_element(values.begin() + static_cast<ptrdiff_t>(begin),
                                            values.begin() + static_cast<ptrdiff_t>(end));
}

double median(Values values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// What was held at the end of each slice and never less since.
Values floor_of(Values values) {
    for (size_t i = values.size() - 1; i-- > 0;) values[i] = std::min(values[i], values[i + 1]);
    return values;
}

// ---- survivors ----------------------------------------------------------------------------------

// Slices [begin, end), in which blocks of all times have survived.
struct Window {
    size_t begin = 0;
    size_t end = 0;
    double survivors = 0;
    double coverage = 0;  // share of its parts that have some; 0: it is no window
    bool   slows = false;
    bool   has_fallen = false;  // What was held before has gone down by half, once at least.
};

// How far what is held fell, in these slices.
double deepest_fall(const Values& held, size_t begin, size_t end) {
    double most = 0, fall = 0;
    for (size_t i = begin; i < end; ++i) {
        most = std::max(most, held[i]);
        fall = std::max(fall, most - held[i]);
    }
    return fall;
}

// Whether counts scatter around a straight line about as counts of independent events do, or less.
bool are_even(const Values& counts) {
    const auto n = static_cast<double>(counts.size());
    const double mean = sum(counts, 0, counts.size()) / n;
    double slope = 0, squares = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
        const double x = static_cast<double>(i) - (n - 1) / 2;
        slope += x * counts[i];
        squares += x * x;
    }
    slope /= squares;
    double variance = 0;
    for (size_t i = 0; i < counts.size(); ++i) {
        const double line = mean + slope * (static_cast<double>(i) - (n - 1) / 2);
        variance += (counts[i] - line) * (counts[i] - line) / (n - 2);
    }
    return variance <= 2.5 * mean + 0.1 * mean * mean;
}

// Whether the last third has clearly fewer survivors than the first.
bool is_slowing(const Curve& curve, const Window& window, double part) {
    const size_t third = (window.end - window.begin) / 3;
    const double first = sum(curve.born_blocks, window.begin, window.begin + third);
    const double last = sum(curve.born_blocks, window.end - third, window.end);
    const bool   by_chance = first - last < 3 * std::sqrt(first + last);
    return last < first * (by_chance ? std::min(part, 0.5) : part);
}

Window look_at(const Curve& curve, size_t begin, size_t end) {
    Window window{begin, end, sum(curve.born_blocks, begin, end), 0, false, false};
    const auto enough = static_cast<size_t>(window.survivors / 2.5);
    const size_t bins = std::min(std::clamp(enough, bins_min, bins_max), end - begin);
    Values counts;
    for (size_t i = 0; i < bins; ++i) {
        counts.push_back(sum(curve.born_blocks, begin + i * (end - begin) / bins,
                             begin + (i + 1) * (end - begin) / bins));
    }
    const auto full = static_cast<size_t>(std::count_if(counts.begin(), counts.end(),
                                                        [](double count) { return count > 0; }));
    if (full + 1 < bins || counts.front() == 0 || counts.back() == 0) return window;
    // Most of it came at once.
    if (highest(counts, 0, bins) > window.survivors / 2) return window;
    // Where what is held goes up and down, survivors that come unevenly may be chance.
    const bool is_rough = deepest_fall(curve.blocks, begin, end) > window.survivors / 10;
    if (is_rough && !are_even(counts)) return window;
    // The older, the fewer: what is there goes, only slowly.
    const size_t third = (end - begin) / 3;
    const double first = sum(curve.born_blocks, begin, begin + third);
    const double second = sum(curve.born_blocks, begin + third, begin + 2 * third);
    if (second > 4 * first && second - first > 3 * std::sqrt(first + second)) return window;
    window.coverage = static_cast<double>(full) / static_cast<double>(bins);
    window.slows = is_slowing(curve, window, 0.6);
    const double before = highest(curve.blocks, 0, begin);
    window.has_fallen = begin > 0 && deepest_fall(curve.blocks, 0, begin + 1) >
                                         std::max(before / 2, window.survivors / 5);
    return window;
}

bool begins_early(const Curve& curve, const Window& window) {
    return static_cast<double>(window.begin) <= early * static_cast<double>(curve.size());
}

// Whether the window's survivors came on top of what was held before, or instead of it.
bool is_on_top(const Curve& curve, const Window& window) {
    if (begins_early(curve, window)) return true;
    const double before = highest(curve.blocks, 0, window.begin);
    return curve.blocks[window.end - 1] - before >= window.survivors / 2;
}

// The longest window up to `end` that looks like a leak, or nothing.
std::optional<Window> find_window(const Curve& curve, size_t end) {
    const size_t step = std::max<size_t>(end / 20, 1);
    std::optional<Window> slowing;
    for (size_t begin = 0; begin + 5 <= end && begin * 10 <= end * 8; begin += step) {
        Window window = look_at(curve, begin, end);
        if (window.coverage == 0 || !is_on_top(curve, window)) continue;
        if (!window.slows && !slowing) return window;
        if (!slowing) slowing = window;
        // It began with a burst, and goes on evenly.
        if (begin * 4 <= end && !is_slowing(curve, window, 0.8)) return window;
    }
    return slowing;
}

// ---- the end of growth ---------------------------------------------------------------------------

// Whether what is held has stopped growing: for its last slices it has grown by next to nothing, and
// it never did so for half as long before.
bool has_stopped(const Curve& curve, const Window& window) {
    const size_t length = window.end - window.begin;
    const auto held = [&](size_t end) { return end == 0 ? 0 : curve.blocks[end - 1]; };
    const double each = (held(window.end) - held(window.begin)) / static_cast<double>(length);
    if (each <= 0) return false;
    // Over so many slices growth is worth counting.
    const size_t span = std::max<size_t>(static_cast<size_t>(std::ceil(10 / each)), 3);
    if (span > length / 3) return false;
    size_t longest = 0, flat = 0;
    for (size_t end = window.begin + span; end <= window.end; ++end) {
        if (held(end) - held(end - span) <= each * static_cast<double>(span) / 5) {
            flat += 1;
        } else {
            longest = std::max(longest, flat);
            flat = 0;
        }
    }
    return flat > 0 && flat + span > 2 * (longest == 0 ? 0 : longest + span) + 1;
}

// Whether nearly all that it acquired was kept, until at the end it acquired something several
// times and held no more than before: few blocks, but each in the place of another one.
bool has_begun_to_evict(const Curve& curve, const Window& window) {
    const double held = curve.blocks[window.end - 1];
    size_t begin = window.end - 1;  // the first slice that ends with as much as the last one
    while (begin > window.begin && curve.blocks[begin - 1] >= held) --begin;
    const double late = sum(curve.allocations, begin + 1, window.end);
    const double kept = curve.blocks[begin] - curve.blocks[window.begin];
    return late >= 3 && kept >= 0.8 * sum(curve.allocations, window.begin + 1, begin + 1);
}

// One past the last slice of which something survived.
size_t end_of_births(const Curve& curve) {
    size_t end = curve.size();
    while (end > 0 && curve.born_blocks[end - 1] == 0) --end;
    return end;
}

// Whether the survivors end long before the run does, compared with the gaps between them.
bool is_gap(const Curve& curve, size_t end) {
    size_t longest = 0, gap = 0;
    size_t slices = 0;
    for (size_t i = 0; i < end; ++i) {
        const bool is_empty = curve.born_blocks[i] == 0;
        gap = is_empty ? gap + 1 : 0;
        if (slices > 0) longest = std::max(longest, gap);
        slices += !is_empty;
    }
    return curve.size() - end > 2 * longest + 2;
}

// ---- other shapes --------------------------------------------------------------------------------

// How many times it fell by half of its range, and rose again.
size_t cycles(const Values& values) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double half = (*high - *low) / 2;
    if (half <= 0) return 0;
    size_t count = 0;
    bool   has_fallen = false;
    double edge = values[0];  // the highest since it rose, or the lowest since it fell
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

// In how many of ten parts of the slices [begin, n) a value rises.
size_t rising_bins(const Values& values, size_t begin) {
    const size_t length = values.size() - begin;
    const size_t bins = std::min(bins_max, length);
    size_t count = 0;
    for (size_t i = 0; i < bins; ++i) {
        const size_t from = begin + i * length / bins;
        const size_t to = begin + (i + 1) * length / bins;
        count += values[to - 1] > (from == 0 ? 0 : values[from - 1]);
    }
    return count;
}

// A block or two that are made larger now and then: by whom, he knows where they are.
bool is_enlarged(const Curve& curve) {
    const Values floor = floor_of(curve.bytes);
    if (highest(curve.blocks, 0, curve.size()) > 2) return false;
    size_t count = 0, last = 0, before = 0;
    for (size_t i = 1; i < floor.size(); ++i) {
        if (floor[i] <= floor[i - 1] * 1.05 || floor[i - 1] == 0) continue;
        count += 1;
        before = last;
        last = i;
    }
    // Each doubling takes twice as long to come as the last one.
    return count >= 3 && floor.size() - last <= 3 * (last - before) + 2;
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

// What is no leak by its survivors.
Judgement judge_shape(const Curve& curve) {
    const size_t n = curve.size();
    const double end = curve.bytes[n - 1];
    if (is_enlarged(curve)) {
        return grown(curve, Verdict::growing, 0.5, 0,
                     "one block is made larger again and again: who does that has not lost it, "
                     "but it grows as long as the program runs");
    }
    const Values floor = floor_of(curve.bytes);
    const double rise = floor[n - 1] - highest(curve.bytes, 0, n / 2);
    if (rise > end / 10 && rising_bins(floor, n / 2) >= 5) {
        return grown(curve, Verdict::growing, 0.5, 0,
                     "more and more is held, but old blocks go: it may be a queue that is filled "
                     "faster than it is emptied");
    }
    if (const size_t count = cycles(curve.bytes); count >= 2) {
        return {Verdict::periodic, 0.9, 0, n, 0, 0, false,
                fmt::format("it rose and fell {} times", count)};
    }
    const double level = median({curve.bytes.begin() + static_cast<ptrdiff_t>(n - (n + 3) / 4),
                                 curve.bytes.end()});
    if (level == 0 || end < level / 2) {
        return {Verdict::steady, 0.9, 0, n, 0, 0, false, "what it takes it gives back"};
    }
    size_t full = 0;
    while (full < n && curve.bytes[full] < level * 0.9) ++full;
    const double share = static_cast<double>(full) / static_cast<double>(n);
    const double old = sum(curve.born_blocks, 0, std::min(n, full + n / 10 + 1));
    const bool   keeps = old >= curve.blocks[n - 1] / 2;
    if (share > 0.15) {
        return {Verdict::cache, 0.9, 0, n, 0, 0, false,
                fmt::format("it was full after {:.0f} % of the run{}", share * 100,
                            keeps ? "" : ", and old blocks go for new ones")};
    }
    if (keeps) {
        return {Verdict::warm_up, 0.9, 0, n, 0, 0, false,
                "what it holds it has held since early on"};
    }
    return {Verdict::steady, 0.9, 0, n, 0, 0, false,
            "it holds about the same all the time, and old blocks go"};
}

double confidence_of(const Curve& curve, const Window& window) {
    const double evidence = 1 - std::exp(-window.survivors / 6);
    const double part = static_cast<double>(window.end - window.begin) /
                        static_cast<double>(curve.size());
    return std::min(0.99, evidence * window.coverage * std::min(1.0, 0.85 + part / 4));
}

std::string many(double blocks) {
    return counted(static_cast<uint64_t>(std::llround(blocks)), "block");
}

}  // namespace

std::string_view word_of(Verdict verdict) {
    static constexpr std::array<std::string_view, 6> words{"leak",    "growing",  "cache",
                                                           "warm-up", "periodic", "steady"};
    return words[static_cast<size_t>(verdict)];
}

void add(Curve& sum, const Curve& part) {
    if (sum.size() == 0) {
        sum = part;
        return;
    }
    for (const auto field : {&Curve::bytes, &Curve::blocks, &Curve::allocations,
                             &Curve::born_bytes, &Curve::born_blocks}) {
        for (size_t i = 0; i < sum.size(); ++i) (sum.*field)[i] += (part.*field)[i];
    }
}

Judgement judge(const Curve& curve, const SameWork& same_work) {
    const size_t n = curve.size();
    if (n == 0) return {};
    size_t end = end_of_births(curve);
    const bool stops = is_gap(curve, end);
    if (!stops) end = n;
    const std::optional<Window> window = find_window(curve, end);
    if (!window) {
        Judgement result = judge_shape(curve);
        result.too_few = sum(curve.born_blocks, n / 8, n) > 0;
        return result;
    }
    const double part = static_cast<double>(end - window->begin) / static_cast<double>(n);
    // Nothing new stays: is it full, or is it just that the program does something else now?
    const bool is_over = static_cast<double>(n - end) > static_cast<double>(n) / 4;
    if (stops && (is_over || same_work(window->begin, end))) {
        if (begins_early(curve, *window) && end * 10 <= n * 3) {
            return {Verdict::warm_up, 0.9, 0, n, 0, 0, false,
                    "what it holds it has held since early on"};
        }
        return {Verdict::cache, 0.9, 0, n, 0, 0, false,
                fmt::format("it grew up to {:.0f} % of the run, and the program goes on without "
                            "any more", 100.0 * static_cast<double>(end) / static_cast<double>(n))};
    }
    if (has_stopped(curve, *window) || has_begun_to_evict(curve, *window)) {
        return {Verdict::cache, 0.9, 0, n, 0, 0, false,
                "it has stopped growing, and old blocks go for new ones"};
    }
    Judgement result = grown(curve, Verdict::leak, confidence_of(curve, *window), window->begin,
                             "");
    result.until = end;
    result.grown_blocks = window->survivors;
    result.grown_bytes = sum(curve.born_bytes, window->begin, end);
    result.too_few = window->survivors < survivors_min;
    const std::string what =
        fmt::format("of what it acquired since then, {} of all times stayed", many(window->survivors));
    if (result.too_few) {
        result.verdict = Verdict::growing;
        result.why = what + ": too few to be sure";
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
        result.why = what + ", as many at the end as at the beginning";
    }
    if (result.verdict != Verdict::leak) result.confidence = std::min(result.confidence, 0.5);
    return result;
}

Slope slope_of(const std::vector<double>& at, const std::vector<double>& values, size_t begin,
               size_t end) {
    Values slopes;
    for (size_t i = begin; i < end; ++i) {
        for (size_t j = i + 1; j < end; ++j) {
            if (at[j] > at[i]) slopes.push_back((values[j] - values[i]) / (at[j] - at[i]));
        }
    }
    if (slopes.empty()) return {};
    std::sort(slopes.begin(), slopes.end());
    // Sen's interval, from the variance of Kendall's statistic.
    const auto n = static_cast<double>(end - begin);
    const double spread = 1.96 * std::sqrt(n * (n - 1) * (2 * n + 5) / 18) / 2;
    const auto middle = static_cast<double>(slopes.size() - 1) / 2;
    const auto pick = [&](double place) {
        const double most = static_cast<double>(slopes.size() - 1);
        return slopes[static_cast<size_t>(std::clamp(std::round(place), 0.0, most))];
    };
    return {pick(middle), pick(middle - spread), pick(middle + spread)};
}

}  // namespace memtrace::analyzer
