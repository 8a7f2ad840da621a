// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/live_table.h"

#include <algorithm>
#include <utility>

namespace memtrace::analyzer {
namespace {

constexpr uint64_t second_ns = 1'000'000'000;
constexpr uint64_t window_ns = 60 * second_ns;   // of the rate
constexpr uint64_t shortest_ns = 5 * second_ns;  // from which a rate is said

constexpr const char* unnamed = "";  // in the histories

}  // namespace

void LiveTable::set_names(LiveNames names) {
    if (unnamed_share() > 0) {
        for (const LiveSpace& space : spaces_) renamed_.insert(space.name);
    }
    names_ = std::move(names);
}

void LiveTable::take(uint64_t time_ns, const SpaceCounter& counter, bool is_estimate) {
    LiveSpace& known = space(counter.name());
    known = count(counter);
    known.is_estimate = is_estimate;
    add_history(known, time_ns);
}

LiveSpace& LiveTable::space(const std::string& name) {
    const auto found = std::find_if(spaces_.begin(), spaces_.end(),
                                    [&](const LiveSpace& one) { return one.name == name; });
    return found != spaces_.end() ? *found : spaces_.emplace_back();
}

LiveSpace LiveTable::count(const SpaceCounter& counter) const {
    LiveSpace result{.name = counter.name(),
                     .bytes = counter.totals().live_bytes,
                     .peak_bytes = counter.peak_bytes(),
                     .blocks = counter.totals().live_blocks,
                     .rows = std::vector<LiveFigures>(names_.rows.size() + 1)};
    for (uint32_t site = 0; site < counter.site_count(); ++site) {
        const uint32_t row = names_.row_of(result.name, site);
        const size_t place = row == LiveNames::no_row ? names_.rows.size() : row;
        const Totals totals = counter.site_totals(site);
        LiveFigures& figures = result.rows[place];
        figures.row = row;
        figures.bytes += totals.live_bytes;
        figures.blocks += totals.live_blocks;
        figures.allocations += totals.allocations;
    }
    std::erase_if(result.rows, [](const LiveFigures& row) { return row.allocations == 0; });
    return result;
}

// `by` is a difference: it may be below 0, as numbers that wrap around.
void LiveTable::shift(History& history, uint64_t by) {
    for (Point& point : history) point.bytes += by;
}

void LiveTable::add_history(LiveSpace& space, uint64_t time_ns) {
    std::map<std::string, History>& histories = histories_[space.name];
    const bool is_renamed = renamed_.erase(space.name) != 0;
    for (LiveFigures& row : space.rows) {
        const bool has_name = row.row != LiveNames::no_row;
        History& history = histories[has_name ? names_.rows[row.row].where : unnamed];
        // A row that gets sites that had no name did not grow by them.
        if (is_renamed && !history.empty()) shift(history, row.bytes - history.back().bytes);
        // The time of a program that has ended stands still.
        const bool is_same_time = !history.empty() && history.back().time_ns >= time_ns;
        if (is_same_time) history.back().bytes = row.bytes;
        else history.push_back({time_ns, row.bytes});
        while (history.size() > 1 && time_ns - history[1].time_ns >= window_ns) history.pop_front();
        const Point& first = history.front();
        if (!has_name || time_ns - first.time_ns < shortest_ns) continue;
        const auto grown = static_cast<double>(static_cast<int64_t>(row.bytes - first.bytes));
        row.a_minute = grown * window_ns / static_cast<double>(time_ns - first.time_ns);
    }
}

double LiveTable::unnamed_share() const {
    uint64_t all = 0, without = 0;
    for (const LiveSpace& space : spaces_) {
        for (const LiveFigures& row : space.rows) {
            all += row.bytes;
            if (row.row == LiveNames::no_row) without += row.bytes;
        }
    }
    return all == 0 ? 0 : static_cast<double>(without) / static_cast<double>(all);
}

}  // namespace memtrace::analyzer
