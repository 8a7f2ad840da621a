// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_curve.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analyzer/model/estimate.h"

namespace memtrace::analyzer {

void add(Curve& sum, const Curve& part) {
    if (sum.size() == 0) {
        sum = part;
        return;
    }
    for (const auto field : {&Curve::bytes, &Curve::blocks, &Curve::allocations, &Curve::born_bytes,
                             &Curve::born_blocks}) {
        for (size_t i = 0; i < sum.size(); ++i) (sum.*field)[i] += (part.*field)[i];
    }
}

double sum_of(const Values& values, size_t begin, size_t end) {
    return std::accumulate(values.begin() + static_cast<ptrdiff_t>(begin),
                           values.begin() + static_cast<ptrdiff_t>(end), 0.0);
}

double highest_of(const Values& values, size_t begin, size_t end) {
    return begin >= end ? 0
                        : *std::max_element(values.begin() + static_cast<ptrdiff_t>(begin),
                                            values.begin() + static_cast<ptrdiff_t>(end));
}

double deepest_fall(const Values& values, size_t begin, size_t end) {
    double most = 0, fall = 0;
    for (size_t i = begin; i < end; ++i) {
        most = std::max(most, values[i]);
        fall = std::max(fall, most - values[i]);
    }
    return fall;
}

double median_of(Values values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

Values floor_of(Values values) {
    for (size_t i = values.size() - 1; i-- > 0;) values[i] = std::min(values[i], values[i + 1]);
    return values;
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

bool are_alike(const Values& a, const Values& b) {
    const double all_a = std::accumulate(a.begin(), a.end(), 0.0);
    const double all_b = std::accumulate(b.begin(), b.end(), 0.0);
    if (all_a == 0 || all_b == 0) return false;
    double sum_a = 0, sum_b = 0, apart = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        sum_a += a[i];
        sum_b += b[i];
        apart = std::max(apart, std::abs(sum_a / all_a - sum_b / all_b));
    }
    return apart <= 0.05 + 1.36 * std::sqrt(1 / all_a + 1 / all_b);
}

bool is_longest_pause(const Curve& curve, size_t begin) {
    size_t longest = 0, pause = 0;
    bool has_begun = false;
    for (size_t i = begin; i < curve.size(); ++i) {
        pause += 1;
        if (curve.born_blocks[i] == 0) continue;
        if (has_begun) longest = std::max(longest, pause);
        has_begun = true;
        pause = 0;
    }
    return has_begun && 2 * pause > 3 * longest;
}

double size_in(const Curve& curve, size_t slice) {
    return curve.born_bytes[slice] / curve.born_blocks[slice];
}

std::vector<size_t> larger_moments(const Curve& curve) {
    constexpr double larger = 1.05;
    const size_t n = curve.size();
    if (sum_of(curve.born_blocks, 0, n) < sum_of(curve.allocations, 0, n)) return {};
    std::vector<size_t> moments;
    for (size_t i = 0; i < n; ++i) {
        if (curve.born_blocks[i] == 0) continue;
        if (!moments.empty() && size_in(curve, i) < larger * size_in(curve, moments.back()))
            return {};
        moments.push_back(i);
    }
    return moments;
}

bool is_chance_of_sample(double change, const Values& bytes, uint64_t interval) {
    const double level = bytes.empty() ? 0 : median_of(bytes);
    return change < std::max(static_cast<double>(samples_min * interval),
                             8 * estimate_deviation(level, interval));
}

}  // namespace memtrace::analyzer
