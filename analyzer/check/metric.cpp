// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/metric.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/units.h"

namespace memtrace::analyzer {

namespace {

// Returns hundredths of a percent, rounded up. A limit of 0 % must not let one in a million pass.
uint64_t part_of(uint64_t part, uint64_t whole) {
    if (whole == 0) return 0;
    const unsigned __int128 scaled = static_cast<unsigned __int128>(part) * 10'000 + whole - 1;
    return static_cast<uint64_t>(scaled / whole);
}

uint64_t figure_of(const Totals& totals, uint64_t peak_bytes, Metric metric) {
    switch (metric) {
        case Metric::peak_bytes: return peak_bytes;
        case Metric::leaked_bytes: return totals.live_bytes;
        case Metric::leaked_blocks: return totals.live_blocks;
        case Metric::held_bytes: return totals.held_bytes;
        case Metric::held_blocks: return totals.held_blocks;
        case Metric::allocations: return totals.allocations;
        case Metric::allocated_bytes: return totals.allocated_bytes;
        case Metric::temporary_percent: return part_of(totals.temporary, totals.allocations);
        case Metric::lost_bytes: return value_of(totals, Measure::lost);
        case Metric::lost_blocks: return blocks_of(totals, Measure::lost);
        case Metric::growth_per_step:
        case Metric::growth_per_hour: return 0;  // measure() fills these from histories.
    }
    return 0;
}

Figures figures_of(const Totals& totals, uint64_t peak_bytes) {
    Figures figures{};
    for (const MetricRow& row : metrics) {
        figures[static_cast<size_t>(row.metric)] = figure_of(totals, peak_bytes, row.metric);
    }
    return figures;
}

}  // namespace

const MetricRow& row_of(Metric metric) { return metrics[static_cast<size_t>(metric)]; }

std::optional<Metric> find_metric(std::string_view name) {
    for (const MetricRow& row : metrics) {
        if (row.name == name) return row.metric;
    }
    return std::nullopt;
}

std::string field_of(Metric metric) {
    std::string field(row_of(metric).name);
    std::replace(field.begin(), field.end(), '-', '_');
    return field;
}

std::optional<Metric> blocks_of(Metric metric) {
    if (metric == Metric::leaked_bytes) return Metric::leaked_blocks;
    if (metric == Metric::held_bytes) return Metric::held_blocks;
    if (metric == Metric::lost_bytes) return Metric::lost_blocks;
    return std::nullopt;
}

bool adds_up(Metric metric) { return row_of(metric).unit != Unit::percent; }

Figures figures_of_space(const Totals& totals) { return figures_of(totals, totals.own_peak_bytes); }

Figures figures_of_site(const Totals& totals) { return figures_of(totals, totals.at_peak_bytes); }

std::string short_text(Metric metric, uint64_t value) {
    switch (row_of(metric).unit) {
        case Unit::bytes: return human_bytes(value);
        case Unit::rate:
            return human_bytes(value) +
                   (metric == Metric::growth_per_step ? " a step" : " an hour");
        case Unit::count:
            return counted(value, metric == Metric::allocations ? "allocation" : "block");
        case Unit::percent: return fmt::format("{}.{:02} %", value / 100, value % 100);
    }
    return "";
}

std::string figure_text(Metric metric, uint64_t value) {
    const std::string text = short_text(metric, value);
    if (row_of(metric).unit != Unit::bytes) return text;
    return fmt::format("{} ({})", text, counted(value, "byte"));
}

}  // namespace memtrace::analyzer
