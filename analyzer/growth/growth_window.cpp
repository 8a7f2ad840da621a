// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_window.h"

#include <algorithm>
#include <cmath>

namespace memtrace::analyzer {
namespace {

constexpr size_t bins_min = 4, bins_max = 10;
constexpr size_t slices_min = 5;
constexpr size_t latest = 92;  // A window begins before this per cent of the slices.
constexpr double late_survivors_min = 64;
constexpr double early = 0.12;  // Growth that begins earlier counts as present from the beginning.

// True if the counts scatter around a straight line about as much as counts of independent events
// do, or less.
bool are_even(const Values& counts) {
    const auto n = static_cast<double>(counts.size());
    const double mean = sum_of(counts, 0, counts.size()) / n;
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

// True if the last third has clearly fewer survivors than the first.
bool is_slowing(const Curve& curve, const Window& window, double part) {
    const size_t third = (window.end - window.begin) / 3;
    const double first = sum_of(curve.born_blocks, window.begin, window.begin + third);
    const double last = sum_of(curve.born_blocks, window.end - third, window.end);
    const bool by_chance = first - last < 3 * std::sqrt(first + last);
    return last < first * (by_chance ? std::min(part, 0.5) : part);
}

Window look_at(const Curve& curve, size_t begin, size_t end) {
    Window window{begin, end, sum_of(curve.born_blocks, begin, end), 0, false, false};
    const auto enough = static_cast<size_t>(window.survivors / 2.5);
    const size_t bins = std::min(std::clamp(enough, bins_min, bins_max), end - begin);
    Values counts;
    for (size_t i = 0; i < bins; ++i) {
        counts.push_back(sum_of(curve.born_blocks, begin + i * (end - begin) / bins,
                                begin + (i + 1) * (end - begin) / bins));
    }
    const auto full = static_cast<size_t>(
        std::count_if(counts.begin(), counts.end(), [](double count) { return count > 0; }));
    if (full + 1 < bins || counts.front() == 0 || counts.back() == 0) return window;
    // Most survivors came at once.
    if (highest_of(counts, 0, bins) > window.survivors / 2) return window;
    // If the held blocks go up and down, unevenly distributed survivors may be chance.
    const bool is_rough = deepest_fall(curve.blocks, begin, end) > window.survivors / 10;
    if (is_rough && !are_even(counts)) return window;
    // The older the slices, the fewer the survivors: blocks are released, only slowly.
    const size_t third = (end - begin) / 3;
    const double first = sum_of(curve.born_blocks, begin, begin + third);
    const double second = sum_of(curve.born_blocks, begin + third, begin + 2 * third);
    if (second > 4 * first && second - first > 3 * std::sqrt(first + second)) return window;
    window.coverage = static_cast<double>(full) / static_cast<double>(bins);
    window.slows = is_slowing(curve, window, 0.6);
    const double before = highest_of(curve.blocks, 0, begin);
    window.has_fallen = begin > 0 && deepest_fall(curve.blocks, 0, begin + 1) >
                                         std::max(before / 2, window.survivors / 5);
    return window;
}

// True if the window's survivors were added to the earlier holdings and did not replace them.
bool is_on_top(const Curve& curve, const Window& window) {
    if (begins_early(curve, window)) return true;
    const double before = highest_of(curve.blocks, 0, window.begin);
    return curve.blocks[window.end - 1] - before >= window.survivors / 2;
}

// Returns the end of the slices before what was in use is given back, when the work ends. So late,
// a fall is not the end of growth.
size_t end_before_fall(const Curve& curve, size_t end) {
    const size_t most = std::max<size_t>(2, end / 20);
    size_t calm = end;
    while (end - calm < most && calm > 1 && curve.blocks[calm - 1] < curve.blocks[calm - 2]) --calm;
    return calm;
}

// Returns what was typically held in the slices [begin, end).
double level_of(const Curve& curve, size_t begin, size_t end) {
    const auto first = curve.blocks.begin();
    return median_of({first + static_cast<ptrdiff_t>(begin), first + static_cast<ptrdiff_t>(end)});
}

// True if what is held is hardly higher after slice `from` than it ever was before, although blocks
// came since then that stayed. Where next to none of those stayed that were there before, as of a
// start or of a working set, that tells nothing. `most`: what each slice held at most
bool is_as_high(const Curve& curve, const Values& most, size_t from, size_t end) {
    constexpr double kept_part = 12, as_high = 0.9;
    const double survivors = sum_of(curve.born_blocks, from, end);
    const double before = highest_of(most, 0, from);
    if (survivors == 0 || highest_of(most, from, end) - before >= survivors / 3) return false;
    size_t last = from, falls = 0;
    while (last > 0 && most[last - 1] < as_high * before) --last;
    if (sum_of(curve.born_blocks, 0, last) * kept_part >= before) return true;
    for (size_t i = 1; i < curve.size(); ++i)
        falls += curve.blocks[i - 1] - curve.blocks[i] >= before / 3;
    return falls >= 2 && sum_of(curve.born_blocks, 0, end) * kept_part >= before;
}

// True if what is held is bounded as far as anybody can tell, although blocks of all times stayed.
// A history that drops every other block when it is full, and takes half as many from then on,
// keeps blocks of all times evenly, and holds no more at the end than it ever did.
bool was_as_high(const Curve& curve, size_t end) {
    constexpr size_t rarely = 10;
    size_t goes = 0;  // slices in which blocks go
    Values most = curve.blocks;
    for (size_t i = 1; i < end; ++i) {
        most[i] = curve.blocks[i - 1] + curve.allocations[i];
        goes += curve.blocks[i] < most[i];
    }
    if (goes == 0 || goes * rarely > end) return false;
    // What goes is no noise, so any time may be compared with the rest.
    const double all = sum_of(curve.born_blocks, 0, end);
    double since = all;
    for (size_t from = 1; from < end; ++from) {
        since -= curve.born_blocks[from - 1];
        if (since < all / 4) return false;
        if (is_as_high(curve, most, from, end)) return true;
    }
    return false;
}

// Returns the first slice with survivors after the longest part without any.
size_t end_of_longest_pause(const Curve& curve, size_t end) {
    size_t longest = 0, pause = 0, found = 0;
    for (size_t i = 0; i < end; ++i) {
        if (curve.born_blocks[i] == 0) {
            pause += 1;
            continue;
        }
        if (pause > longest) {
            longest = pause;
            found = i;
        }
        pause = 0;
    }
    return found;
}

}  // namespace

bool begins_early(const Curve& curve, const Window& window) {
    return static_cast<double>(window.begin) <= early * static_cast<double>(curve.size());
}

std::optional<Window> find_window(const Curve& curve, size_t end) {
    const auto look = [&](size_t begin) -> std::optional<Window> {
        if (begin + slices_min > end || begin * 100 > end * latest) return {};
        const Window window = look_at(curve, begin, end);
        if (window.coverage == 0 || !is_on_top(curve, window)) return {};
        // So late, a few blocks are what the program takes for its end.
        if (begin * 10 > end * 8 && window.survivors < late_survivors_min) return {};
        return window;
    };
    const size_t step = std::max<size_t>(end / 20, 1);
    std::optional<Window> slowing;
    for (size_t begin = curve.first; begin < end; begin += step) {
        const std::optional<Window> window = look(begin);
        if (!window) continue;
        if (!window->slows && !slowing) return window;
        if (!slowing) slowing = window;
        // It began with a burst and continues evenly.
        if (begin * 4 <= end && !is_slowing(curve, *window, 0.8)) return window;
    }
    // The steps are too wide for a late phase, in which the first births may lie within one.
    return slowing ? slowing : look(end_of_longest_pause(curve, end));
}

bool is_rising(const Curve& curve, const Window& window) {
    const size_t third = (window.end - window.begin) / 3;
    const double first = sum_of(curve.born_blocks, window.begin, window.begin + third);
    const double last = sum_of(curve.born_blocks, window.end - third, window.end);
    return last > 1.5 * first && last - first > 2 * std::sqrt(first + last);
}

std::optional<size_t> stopped_at(const Curve& curve, const Window& whole) {
    constexpr size_t flat_min = 3;  // A span or two may be flat by chance.
    Window window = whole;
    window.end = std::max(end_before_fall(curve, whole.end), whole.begin + 1);
    const size_t length = window.end - window.begin;
    const auto held = [&](size_t end) { return end == 0 ? 0 : curve.blocks[end - 1]; };
    const double each = (held(window.end) - held(window.begin)) / static_cast<double>(length);
    if (each <= 0) return {};
    // The number of slices over which growth is large enough to be counted.
    const size_t span = std::max<size_t>(static_cast<size_t>(std::ceil(10 / each)), 3);
    if (span > length / 3) return {};
    size_t longest = 0, flat = 0;
    for (size_t end = window.begin + span; end <= window.end; ++end) {
        if (held(end) - held(end - span) <= each * static_cast<double>(span) / 5) {
            flat += 1;
        } else {
            longest = std::max(longest, flat);
            flat = 0;
        }
    }
    if (flat < flat_min || flat + span <= 2 * (longest == 0 ? 0 : longest + span)) return {};
    return window.end + 1 - flat - span;
}

Rise rise_of_level(const Curve& curve, const Window& window) {
    constexpr double enough = 8;  // survivors; fewer tell nothing
    constexpr size_t slices_of_level = 3;
    const size_t end = end_before_fall(curve, window.end);
    const size_t length = end > window.begin ? end - window.begin : 0;
    const size_t eighth = length / 8;
    if (eighth < slices_of_level) return Rise::by_survivors;
    const double late = level_of(curve, end - eighth, end);
    Rise found = was_as_high(curve, end) ? Rise::unclear : Rise::by_survivors;
    for (const size_t part : {2, 4}) {
        const size_t middle = end - length / part;
        const size_t begin = middle - eighth / 2;
        const double survivors = sum_of(curve.born_blocks, middle, end - eighth / 2);
        if (survivors < enough) continue;
        const double rise = late - level_of(curve, begin, begin + eighth);
        const double noise = deepest_fall(curve.blocks, begin, end);
        if (rise >= survivors / 2 || (rise >= survivors / 6 && rise >= 2 * noise)) continue;
        if (rise + noise < survivors / 6) return Rise::none;
        found = Rise::unclear;
    }
    return found;
}

std::optional<Window> find_window_when_full(const Curve& curve, size_t full) {
    const size_t n = curve.size();
    std::vector<size_t> ends{n};
    for (const size_t part : newest_parts) ends.push_back(n - n / part);
    for (const size_t end : ends) {
        const size_t third = end > full ? (end - full) / 3 : 0;
        if (third < slices_min) return {};
        const Window window = look_at(curve, full, end);
        if (window.coverage == 0 || is_slowing(curve, window, 0.8) || is_rising(curve, window))
            continue;
        // What is held rises by as much, whatever comes and goes meanwhile.
        const auto last = curve.blocks.begin() + static_cast<ptrdiff_t>(end);
        const double least = *std::min_element(last - static_cast<ptrdiff_t>(third), last);
        const double most = highest_of(curve.blocks, 0, full + third);
        if (least - most >= window.survivors / 6) return window;
    }
    return {};
}

bool rises_when_full(const Curve& curve, size_t full) {
    constexpr double rise_min = 8;
    constexpr size_t bins = 10;
    const size_t n = curve.size();
    const auto rise = [&](size_t from, size_t to) { return curve.blocks[to] - curve.blocks[from]; };
    if (full + bins >= n || rise(full, n - 1) < rise_min) return false;
    const size_t length = n - 1 - full, middle = full + length / 2;
    size_t count = 0;
    for (size_t i = 0; i < bins; ++i)
        count += rise(full + i * length / bins, full + (i + 1) * length / bins) > 0;
    return count + 1 >= bins && deepest_fall(curve.blocks, full, n) <= rise(full, n - 1) / 5 &&
           rise(middle, n - 1) >= 0.6 * rise(full, middle);
}

size_t bend_of(const Curve& curve, const Window& window) {
    const double first = window.begin == 0 ? 0 : curve.blocks[window.begin - 1];
    const double each =
        (curve.blocks[window.end - 1] - first) / static_cast<double>(window.end - window.begin);
    size_t found = window.begin;
    double farthest = 0;
    for (size_t i = window.begin; i < window.end; ++i) {
        const double above =
            curve.blocks[i] - first - each * static_cast<double>(i + 1 - window.begin);
        if (above <= farthest) continue;
        farthest = above;
        found = i;
    }
    return found;
}

bool comes_to_rest(const Curve& curve, const Window& window) {
    Window older = window;
    older.end -= (window.end - window.begin) / 3;
    const size_t third = (window.end - window.begin) / 3;
    if (third < slices_min || !is_rising(curve, older)) return false;
    const auto held = [&](size_t end) { return end == 0 ? 0 : curve.blocks[end - 1]; };
    const double early_rise = held(window.begin + third) - held(window.begin);
    const double late_rise = held(window.end) - held(window.end - third);
    return late_rise < 0.7 * early_rise;
}

size_t few_moments(const Curve& curve) {
    constexpr size_t moments_min = 3, moments_max = 12;
    const double taken = sum_of(curve.allocations, 0, curve.size());
    if (sum_of(curve.born_blocks, 0, curve.size()) < taken) return 0;
    Values moments, pauses;  // blocks; slices
    double pause = 0;
    for (const double born : curve.born_blocks) {
        pause += 1;
        if (born == 0) continue;
        if (!moments.empty()) pauses.push_back(pause);
        pause = 0;
        moments.push_back(born);
    }
    if (moments.size() < moments_min || moments.size() > moments_max) return 0;
    const double usual = median_of(pauses), longest = highest_of(pauses, 0, pauses.size());
    const bool is_regular = usual > 1 && longest <= 2 * usual && pause <= 1.5 * longest;
    return is_regular && moments.back() >= median_of(moments) / 2 ? moments.size() : 0;
}

bool takes_ever_larger(const Curve& curve) {
    constexpr size_t moments_min = 3;
    constexpr double longer = 1.25, slices_by_chance = 2;
    const std::vector<size_t> moments = larger_moments(curve);
    if (moments.size() < moments_min) return false;
    const size_t before = moments[moments.size() - 2], last = moments.back();
    const double lasts = longer * size_in(curve, last) / size_in(curve, before);
    const auto slices = [](size_t from, size_t to) { return static_cast<double>(to - from); };
    return slices(last, curve.size() - 1) <= lasts * slices(before, last) + slices_by_chance ||
           curve.at.back() - curve.at[last] <= lasts * (curve.at[last] - curve.at[before]);
}

bool has_begun_to_evict(const Curve& curve, const Window& window) {
    const size_t end = std::max(end_before_fall(curve, window.end), window.begin + 1);
    const double held = curve.blocks[end - 1];
    size_t begin = end - 1;  // the first slice that ends with at least the final holdings
    while (begin > window.begin && curve.blocks[begin - 1] >= held) --begin;
    const double late = sum_of(curve.allocations, begin + 1, end);
    const double kept = curve.blocks[begin] - curve.blocks[window.begin];
    return late >= 2 && kept >= 0.9 * sum_of(curve.allocations, window.begin + 1, begin + 1);
}

bool goes_in_order(const Curve& curve, const Window& window) {
    constexpr double nearly = 0.95, hardly = 0.001, few = 2, gone_min = 8, gone_part = 0.02;
    // A window may begin a little before or behind the first blocks that stayed.
    const auto stay = [&](size_t i) {
        return curve.born_blocks[i] > 0 && curve.born_blocks[i] >= curve.allocations[i] / 2;
    };
    size_t begin = window.begin;
    while (begin < window.end && !stay(begin)) ++begin;
    while (begin > 0 && stay(begin - 1)) --begin;
    const size_t quarter = (window.end - begin) / 4;
    if (quarter == 0) return false;
    const double taken = sum_of(curve.allocations, begin + 1, window.end);
    const double stayed = sum_of(curve.born_blocks, begin + 1, window.end);
    const double before = sum_of(curve.allocations, 0, begin);
    if (stayed < nearly * taken) return false;
    if (sum_of(curve.born_blocks, 0, begin) > std::max(few, hardly * before)) return false;
    const auto gone = [&](size_t from, size_t to) {
        const double held_before = from == 0 ? 0 : curve.blocks[from - 1];
        return held_before + sum_of(curve.allocations, from, to) - curve.blocks[to - 1];
    };
    // A list that is made larger now and then lets go of a few blocks, too, but of newer ones.
    const double all = gone(begin, window.end);
    if (all < std::max(gone_min, gone_part * stayed)) return false;
    if (taken - stayed > all / 4) return false;
    return gone(window.end - quarter, window.end) >= all / 10;
}

size_t end_of_births(const Curve& curve) {
    size_t end = curve.size();
    while (end > 0 && curve.born_blocks[end - 1] == 0) --end;
    return end;
}

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

}  // namespace memtrace::analyzer
