// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/site_places.h"

#include <algorithm>
#include <optional>

namespace memtrace::analyzer {

namespace {

constexpr size_t held_in_any_way = metrics.size();

size_t index_of(Metric metric) { return static_cast<size_t>(metric); }

}  // namespace

SitePlaces::Amounts& SitePlaces::amounts_of(SiteKeys::Id site, uint32_t stack) {
    return amounts_[uint64_t{site} << 32 | places_.id_of(stack)];
}

void SitePlaces::add(SiteKeys::Id site, uint32_t stack, const Totals& totals) {
    Amounts& amounts = amounts_of(site, stack);
    const Figures figures = figures_of_site(totals);
    for (const MetricRow& row : metrics) {
        // The line of a percentage is the one with most of what the percentage is of.
        const uint64_t amount =
            adds_up(row.metric) ? figure(figures, row.metric) : totals.temporary;
        amounts[index_of(row.metric)] += static_cast<double>(amount);
    }
    for (const uint64_t bytes : {totals.live_bytes, totals.held_bytes, totals.at_peak_bytes})
        amounts[held_in_any_way] += static_cast<double>(bytes);
}

void SitePlaces::add_rate(SiteKeys::Id site, uint32_t stack, Metric metric, double bytes) {
    amounts_of(site, stack)[index_of(metric)] += bytes;
}

std::vector<SitePlaces::Line> SitePlaces::sorted_lines() const {
    std::vector<Line> lines;
    lines.reserve(amounts_.size());
    for (const auto& [key, amounts] : amounts_) {
        lines.push_back({static_cast<SiteKeys::Id>(key >> 32),
                         static_cast<SourceLocations::Id>(key & 0xffffffff), &amounts});
    }
    std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
        return a.site != b.site ? a.site < b.site : a.place < b.place;
    });
    return lines;
}

MetricPlaces SitePlaces::places_among(const Line* begin, const Line* end) const {
    const auto most = [&](size_t first, size_t second) {
        return std::max_element(begin, end, [&](const Line& a, const Line& b) {
            const double left = (*a.amounts)[first], right = (*b.amounts)[first];
            return left != right ? left < right : (*a.amounts)[second] < (*b.amounts)[second];
        });
    };
    MetricPlaces result(places_.at(most(held_in_any_way, held_in_any_way)->place));
    for (const MetricRow& row : metrics) {
        // A block of no byte can break a limit on bytes.
        const size_t bytes = index_of(row.metric);
        const size_t blocks = index_of(blocks_of(row.metric).value_or(row.metric));
        const Line* const line = most(bytes, blocks);
        const bool has_some = (*line->amounts)[bytes] != 0 || (*line->amounts)[blocks] != 0;
        if (has_some) result.set(row.metric, places_.at(line->place));
    }
    return result;
}

}  // namespace memtrace::analyzer
