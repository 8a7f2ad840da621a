// SPDX-License-Identifier: Apache-2.0
//
// What growth is judged by, as plain numbers: one value for each slice of the run in which the
// program worked, and what can be asked of such values.
#pragma once

#include <cstddef>
#include <vector>

namespace memtrace::analyzer {

using Values = std::vector<double>;

struct Curve {
    Values at;     // where the slice ends: seconds, or steps
    Values bytes;  // held at its end
    Values blocks;
    Values allocations;  // in it
    Values born_bytes;   // acquired in it, and alive at the end of the last one
    Values born_blocks;

    size_t size() const { return at.size(); }
};
void add(Curve& sum, const Curve& part);  // of the same slices

// Of the slices [begin, end).
double sum_of(const Values& values, size_t begin, size_t end);
double highest_of(const Values& values, size_t begin, size_t end);  // 0: there are none
double deepest_fall(const Values& values, size_t begin, size_t end);

double median_of(Values values);
// What was reached at the end of each slice and never fallen below since.
Values floor_of(Values values);

// Per unit of Curve::at.
struct Slope {
    double value = 0;
    double low = 0;  // with 95 % confidence
    double high = 0;
};

// The median of all slopes between two points (Theil and Sen), of the slices [begin, end).
Slope slope_of(const Values& at, const Values& values, size_t begin, size_t end);

}  // namespace memtrace::analyzer
