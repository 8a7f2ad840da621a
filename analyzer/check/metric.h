// SPDX-License-Identifier: Apache-2.0
//
// The metrics that can be limited and compared (the rows of metrics.def), and the figures of a
// space or of a call site. A figure is a whole number in the unit of its metric.
//
// Lost blocks are known only if a search was done (is_of_search()).
//
// A new metric is a row in metrics.def and a case in figure_of().
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analyzer/model/measure.h"

namespace memtrace::analyzer {

enum class Metric : uint8_t {
#define MEMTRACE_METRIC(metric, name, unit, measure, floor, part, help) metric,
#include "analyzer/check/metrics.def"
};

enum class Unit : uint8_t { bytes, count, percent, rate };

struct MetricRow {
    Metric metric;
    std::string_view name;
    Unit unit;
    Measure measure;
    uint64_t floor;  // least value of a site in a baseline: see metrics.def
    uint64_t part;
    const char* help;
};

inline constexpr auto metrics = std::to_array<MetricRow>({
#define MEMTRACE_METRIC(metric, name, unit, measure, floor, part, help) \
    {Metric::metric, name, Unit::unit, Measure::measure, floor, part, help},
#include "analyzer/check/metrics.def"
});

// True for a rate. A rate is a verdict on one recording and is not compared with other recordings.
constexpr bool is_rate(const MetricRow& row) { return row.unit == Unit::rate; }

// True if only a search for lost blocks tells the figure.
constexpr bool is_of_search(Metric metric) {
    return metric == Metric::lost_bytes || metric == Metric::lost_blocks;
}

// The metrics that a baseline has: all but the rates.
inline constexpr std::span compared_metrics(metrics.begin(),
                                            std::find_if(metrics.begin(), metrics.end(), is_rate));

using Figures = std::array<uint64_t, metrics.size()>;  // by Metric

const MetricRow& row_of(Metric metric);
std::optional<Metric> find_metric(std::string_view name);
std::string field_of(Metric metric);  // "leaked_bytes", as in JSON

// Returns the metric that counts the blocks of these bytes: leaked_blocks for leaked_bytes. Nothing
// if there is none.
std::optional<Metric> blocks_of(Metric metric);

// True if the figures of sites add up to the figure of their space. Percentages do not.
bool adds_up(Metric metric);

// Returns the figures of a whole space. Its peak is the most that it held.
Figures figures_of_space(const Totals& totals);

// Returns the figures of a site. Its peak is its part of the peak of the space.
Figures figures_of_site(const Totals& totals);

inline uint64_t figure(const Figures& figures, Metric metric) {
    return figures[static_cast<size_t>(metric)];
}

// "12.3 MiB (12,897,484 bytes)", "3 blocks", "4.25 %"
std::string figure_text(Metric metric, uint64_t value);

// The same in few characters: "12.3 MiB", "3 blocks", "4.25 %".
std::string short_text(Metric metric, uint64_t value);

}  // namespace memtrace::analyzer
