// SPDX-License-Identifier: Apache-2.0
//
// Plots and bars of characters. A column of a plot is full up to the lowest value of its slice, and
// shaded from there up to the highest:
//
//    439.0 MiB ┤        ▂░░▅███████
//              │     ▄░█████████████
//          0 B ┼▁▃▇█████████████████
//
// Where the terminal shows no UTF-8, the same in ASCII: # and :.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace memtrace::analyzer {

// True if the locale of this process shows UTF-8 (LC_ALL, LC_CTYPE, LANG).
bool shows_utf8();

struct Range {
    uint64_t lowest = 0;
    uint64_t highest = 0;
    bool is_known = false;
};

struct PlotStyle {
    size_t label_width = 11;
    size_t columns = 60;
    size_t rows = 6;
    bool utf8 = true;
};

// Appends the rows of a plot, with the labels of its axis. `most` is the value of the top.
void write_plot(std::string& out, const std::vector<Range>& values, uint64_t most,
                const std::function<std::string(uint64_t)>& label, const PlotStyle& style);

// A position on the axis of time, and its label.
struct Tick {
    size_t column;
    std::string label;
};

// Returns round times of a range, in nanoseconds from `begin` to `end`, that fit into the columns.
std::vector<Tick> time_ticks(uint64_t begin, uint64_t end, size_t columns);

void write_time_axis(std::string& out, const std::vector<Tick>& ticks, const PlotStyle& style);

// Returns a bar of at most `width` columns for a part of `most`. A part that is not 0 shows.
std::string bar(uint64_t part, uint64_t most, size_t width, bool utf8);

}  // namespace memtrace::analyzer
