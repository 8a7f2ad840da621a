// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/life_histogram.h"

#include <fmt/format.h>

#include "analyzer/base/units.h"
#include "analyzer/model/site_groups.h"

namespace memtrace::analyzer {
namespace {

// A power of two with such a part of the blocks or bytes is shown in finer steps.
constexpr uint64_t fine_part = 4;

struct Bin {
    BlockSum all, alive;
    std::map<uint32_t, BlockSum> rows;

    void add(const Bin& other) {
        all.add(other.all);
        alive.add(other.alive);
        for (const auto& [row, sum] : other.rows) rows[row].add(sum);
    }
};
using Bins = std::map<uint32_t, Bin>;

Bins bins_of(const Recording& recording, const SiteRows& rows, size_t space, LifeScale scale) {
    Bins bins;
    const SpaceWatch* const watch = watch_of(recording, recording.model.spaces[space]);
    if (watch == nullptr) return bins;
    for (const LifeBar& bar : watch->bars) {
        if (bar.scale != scale) continue;
        const std::optional<uint32_t> row = rows.row_of(space, bar.site);
        if (!row) continue;
        Bin& bin = bins[bar.bin];
        BlockSum sum = bar.ended;
        sum.add(bar.alive);
        bin.all.add(sum);
        bin.alive.add(bar.alive);
        bin.rows[*row].add(sum);
    }
    return bins;
}

HistogramBar bar_of(uint32_t first, uint32_t next, const Bin& bin) {
    HistogramBar bar{first, next, bin.all, bin.alive, 0, {}};
    bool is_first = true;
    for (const auto& [row, sum] : bin.rows) {
        if (!is_first && sum.blocks <= bar.of_row.blocks) continue;
        is_first = false;
        bar.row = row;
        bar.of_row = sum;
    }
    return bar;
}

std::string number(double value) {
    std::string text = fmt::format("{:.2f}", value);
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
    return text;
}

struct Quantity {
    std::string number;
    std::string unit;
};

Quantity size_text(uint64_t bytes) {
    constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
    return {number(value), units[unit]};
}

Quantity time_text(uint64_t time) {
    constexpr const char* units[] = {"ns", "us", "ms", "s"};
    auto value = static_cast<double>(time);
    size_t unit = 0;
    for (; value >= 1000 && unit + 1 < std::size(units); ++unit) value /= 1000;
    return {number(value), units[unit]};
}

std::string joined(const Quantity& from, const Quantity& to) {
    if (from.number == to.number && from.unit == to.unit) return from.number + " " + from.unit;
    if (from.unit == to.unit) return from.number + "-" + to.number + " " + to.unit;
    return from.number + " " + from.unit + "-" + to.number + " " + to.unit;
}

}  // namespace

Histogram make_histogram(const Recording& recording, const SiteRows& rows, size_t space,
                         LifeScale scale, bool fine) {
    Histogram histogram;
    histogram.scale = scale;
    const Bins bins = bins_of(recording, rows, space, scale);
    Bins wholes;
    for (const auto& [number, bin] : bins) {
        histogram.all.add(bin.all);
        histogram.alive.add(bin.alive);
        wholes[whole_bin(scale, number)].add(bin);
    }
    const auto is_large = [&](const Bin& bin) {
        return bin.all.blocks >= histogram.all.blocks / fine_part ||
               bin.all.bytes >= histogram.all.bytes / fine_part;
    };
    for (const auto& [first, whole] : wholes) {
        uint32_t next = first + 1;
        while (whole_bin(scale, next) == first) ++next;
        if (!fine && !is_large(whole)) {
            histogram.bars.push_back(bar_of(first, next, whole));
            continue;
        }
        for (auto bin = bins.lower_bound(first); bin != bins.end() && bin->first < next; ++bin) {
            histogram.bars.push_back(bar_of(bin->first, bin->first + 1, bin->second));
        }
    }
    return histogram;
}

std::map<std::string, uint64_t> kept_beside_blocks(const Recording& recording, size_t space) {
    std::map<std::string, uint64_t> kept;
    const Model& model = recording.model;
    for (const Site& site : model.spaces[space].sites) {
        const Group group = model.stacks.nodes[site.stack].group;
        const bool is_kept = group == Group::pool_cache || group == Group::graph_memory;
        if (is_kept && site.totals.live_bytes != 0)
            kept[std::string(name_of(group))] += site.totals.live_bytes;
    }
    return kept;
}

std::string bar_label(LifeScale scale, const HistogramBar& bar) {
    const uint64_t begin = bin_begin(scale, bar.bin);
    const uint64_t next = bin_begin(scale, bar.next_bin);
    switch (scale) {
        case LifeScale::size:
            return joined(size_text(begin), next < 1024 ? size_text(next - 1) : size_text(next));
        case LifeScale::time:
            if (begin == 0) return "below 100 ns";
            return joined(time_text(begin), time_text(next));
        case LifeScale::events: break;
    }
    if (bar.bin == 0) return "1";
    const std::string from = exact_count(begin), to = exact_count(next - 1);
    return from == to ? from : from + "-" + to;
}

}  // namespace memtrace::analyzer
