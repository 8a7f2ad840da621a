// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {
namespace {

constexpr unsigned parts = 8;  // of a cell
constexpr const char* blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

uint64_t scaled(uint64_t value, uint64_t most, uint64_t length) {
    if (most == 0 || value == 0) return 0;
    const double part = static_cast<double>(value) / static_cast<double>(most);
    const auto whole = static_cast<uint64_t>(part * static_cast<double>(length) + 0.5);
    return std::clamp<uint64_t>(whole, 1, length);
}

unsigned part_of_cell(uint64_t height, size_t row) {
    const uint64_t below = uint64_t{row} * parts;
    return static_cast<unsigned>(std::min<uint64_t>(parts, height - std::min(height, below)));
}

// `low` and `high`: the eighths of this cell that are full, and that are full or shaded.
const char* cell(unsigned low, unsigned high, bool utf8) {
    if (!utf8) return low * 2 >= parts ? "#" : high * 2 >= parts ? ":" : low + high > 0 ? "." : " ";
    if (low == parts || low == high) return blocks[low];
    return low > 0 ? blocks[low] : "░";
}

// Returns the text at the left of a row of the plot.
std::string axis(const std::string& label, bool is_foot, const PlotStyle& style) {
    const char* line = label.empty() ? (style.utf8 ? "│" : "|")
                       : is_foot     ? (style.utf8 ? "┼" : "+")
                                     : (style.utf8 ? "┤" : "+");
    return fmt::format("{:>{}} {}", label, style.label_width, line);
}

}  // namespace

bool shows_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const char* value = std::getenv(name);
        if (value == nullptr || *value == '\0') continue;
        std::string text(value);
        std::transform(text.begin(), text.end(), text.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
    }
    return false;
}

void write_plot(std::string& out, const std::vector<Range>& values, uint64_t most,
                const std::function<std::string(uint64_t)>& label, const PlotStyle& style) {
    for (size_t row = style.rows; row-- > 0;) {
        const bool is_top = row + 1 == style.rows;
        std::string line = axis(row == 0 ? label(0) : is_top ? label(most) : "", row == 0, style);
        for (const Range& value : values) {
            const uint64_t length = uint64_t{style.rows} * parts;
            const uint64_t low = scaled(value.lowest, most, length);
            const uint64_t high = std::max(low, scaled(value.highest, most, length));
            line += value.is_known
                        ? cell(part_of_cell(low, row), part_of_cell(high, row), style.utf8)
                        : " ";
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += line + "\n";
    }
}

std::vector<Tick> time_ticks(uint64_t begin, uint64_t end, size_t columns) {
    if (end <= begin || columns == 0) return {{0, human_time(begin)}};
    constexpr uint64_t steps[] = {1, 2, 5};
    constexpr uint64_t minute = 60'000'000'000;
    constexpr uint64_t long_steps[] = {minute,       2 * minute,   5 * minute,   10 * minute,
                                       30 * minute,  60 * minute,  120 * minute, 360 * minute,
                                       720 * minute, 1440 * minute};
    const uint64_t ticks_max = std::max<uint64_t>(2, columns / 14);
    const uint64_t least = (end - begin) / ticks_max + 1;
    uint64_t step = 1;
    for (unsigned i = 0; step < least && step < 30'000'000'000; ++i) {
        uint64_t decade = 1;
        for (unsigned j = 0; j < i / 3; ++j) decade *= 10;
        step = decade * steps[i % 3];
    }
    for (const uint64_t longer : long_steps) {
        if (step < least || step > 30'000'000'000) step = longer;
        if (step >= least) break;
    }
    if (step < least) step = (least / long_steps[9] + 1) * long_steps[9];
    std::vector<Tick> ticks;
    const double width = static_cast<double>(end - begin);
    // The times of a damaged dump may end where numbers end, so nothing is added beyond the end.
    const uint64_t first = (step - begin % step) % step;  // from the beginning on
    for (uint64_t after = first; after <= end - begin;) {
        const double place = static_cast<double>(after) / width;
        const auto column = static_cast<size_t>(place * static_cast<double>(columns));
        const uint64_t time = begin + after;
        if (column < columns) ticks.push_back({column, time == 0 ? "0" : human_time(time)});
        if (end - begin - after < step) break;
        after += step;
    }
    return ticks;
}

void write_time_axis(std::string& out, const std::vector<Tick>& ticks, const PlotStyle& style) {
    const std::string indent(style.label_width + 1, ' ');
    std::vector<bool> is_tick(style.columns, false);
    for (const Tick& tick : ticks) is_tick[tick.column] = true;
    out += indent + (style.utf8 ? "└" : "+");
    for (const bool has : is_tick) {
        if (style.utf8) out += has ? "┬" : "─";
        else out += has ? "+" : "-";
    }
    out += "\n";
    std::string labels;
    for (const Tick& tick : ticks) {
        if (display_width(labels) > tick.column || (!labels.empty() && labels.back() != ' ')) {
            labels += ' ';
        }
        if (display_width(labels) > tick.column + 1) continue;
        labels.append(tick.column - std::min(tick.column, display_width(labels)), ' ');
        if (display_width(labels) + display_width(tick.label) > style.columns) break;
        labels += tick.label;
    }
    out += indent + " " + labels + "\n";
}

std::string bar(uint64_t part, uint64_t most, size_t width, bool utf8) {
    std::string text;
    const uint64_t length = scaled(part, most, uint64_t{width} * parts);
    // Bars lie, so their eighths are those of the left of a cell.
    constexpr const char* left[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!utf8) return std::string((length + parts - 1) / parts, '#');
    for (uint64_t i = 0; i < length / parts; ++i) text += "█";
    return text + left[length % parts];
}

}  // namespace memtrace::analyzer
