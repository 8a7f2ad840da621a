// SPDX-License-Identifier: Apache-2.0
#include "analyzer/model/estimate.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "analyzer/base/saturating.h"
#include "analyzer/model/model.h"

namespace memtrace::analyzer {
namespace {

constexpr double z_95 = 1.959964;  // 2.5 % of a normal distribution lie above

// Half of the chi-square quantile with 2k degrees of freedom that lies `z` standard deviations from
// the middle.
double half_quantile(double k, double z) {
    if (k <= 0) return 0;
    const double part = 1 / (9 * k);
    const double root = 1 - part + z * std::sqrt(part);
    return root <= 0 ? 0 : k * root * root * root;
}

uint64_t whole(double bytes) {
    constexpr double most = 18446744073709549568.0;  // the largest below 2^64
    return bytes >= most ? UINT64_MAX : static_cast<uint64_t>(bytes);
}

}  // namespace

double estimate_deviation(double bytes, uint64_t interval) {
    return std::sqrt(bytes * static_cast<double>(interval));
}

EstimateRange estimate_range(uint64_t bytes, uint64_t interval) {
    if (interval == 0) return {bytes, bytes};
    const auto distance = static_cast<double>(interval);
    const double chosen = static_cast<double>(bytes) / distance;
    constexpr double few = 2;
    return {chosen < few ? 0 : std::min(bytes, whole(half_quantile(chosen, -z_95) * distance)),
            std::max(bytes, whole(half_quantile(chosen + 1, z_95) * distance))};
}

EstimateRange estimate_range(uint64_t bytes, uint64_t estimated, uint64_t interval) {
    const uint64_t part = std::min(bytes, estimated);
    const uint64_t counted = bytes - part;
    const EstimateRange range = estimate_range(part, interval);
    return {counted + range.low, saturating_sum({counted, range.high})};
}

EstimateRange estimate_peak_range(uint64_t bytes, uint64_t estimated, uint64_t interval) {
    constexpr double room_below = 0.5, room_above = 1.5;  // standard deviations
    if (interval == 0) return {bytes, bytes};
    const uint64_t part = std::min(bytes, estimated);
    const auto sampled = static_cast<double>(part);
    const double deviation = estimate_deviation(std::max(sampled, double(interval)), interval);
    const uint64_t lower = whole(std::max(0.0, sampled - room_below * deviation));
    const uint64_t higher = whole(sampled + room_above * deviation);
    const uint64_t counted = bytes - part;
    return {counted + estimate_range(lower, interval).low,
            saturating_sum({counted, estimate_range(higher, interval).high})};
}

std::string estimate_error_text(uint64_t bytes, uint64_t interval) {
    if (interval == 0 || bytes == 0) return "0 %";
    const EstimateRange range = estimate_range(bytes, interval);
    const double part =
        static_cast<double>(range.high - range.low) / 2 / static_cast<double>(bytes);
    return fmt::format("{:.{}f} %", part * 100, part < 0.1 ? 1 : 0);
}

bool knows_temporary(const Space& space) { return !space.is_estimate; }

bool knows_events(const Model& model, const Space& space) {
    const auto is_sampled_host = [](const auto& other) {
        return other.name == "host" && other.is_estimate;
    };
    if (space.is_estimate || std::any_of(model.spaces.begin(), model.spaces.end(), is_sampled_host))
        return false;
    return !model.filters || std::none_of(model.filters->spaces.begin(),
                                          model.filters->spaces.end(), is_sampled_host);
}

}  // namespace memtrace::analyzer
