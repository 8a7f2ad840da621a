// SPDX-License-Identifier: Apache-2.0
//
// The figures by which growth is judged, as plain numbers: one value for each slice of the run in
// which the program worked. Also the functions that evaluate such values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memtrace::analyzer {

using Values = std::vector<double>;

struct Curve {
    Values at;     // end of each slice, in seconds or steps
    Values bytes;  // held at the end of the slice
    Values blocks;
    Values allocations;  // made in the slice
    Values born_bytes;   // acquired in the slice and alive at the end of the last one
    Values born_blocks;
    size_t first = 0;  // the slice in which growth may begin: 1 if the steps begin after the first

    size_t size() const { return at.size(); }
};
void add(Curve& sum, const Curve& part);  // of the same slices

// The next functions use the slices [begin, end).
double sum_of(const Values& values, size_t begin, size_t end);
double highest_of(const Values& values, size_t begin, size_t end);  // 0 if the range is empty
double deepest_fall(const Values& values, size_t begin, size_t end);

double median_of(Values values);
// Returns, for each slice, the level at its end that was never undercut later.
Values floor_of(Values values);

// True if both may have arisen over time in the same way. The test compares the largest difference
// between the shares that they had reached after each slice (Kolmogorov and Smirnov).
bool are_alike(const Values& a, const Values& b);

// True if the pause since the last survivor is half as long again as any before.
bool is_longest_pause(const Curve& curve, size_t begin);

// Returns the mean size of the blocks that came in a slice and stayed. There must be some.
double size_in(const Curve& curve, size_t slice);
// Returns the slices in which blocks came, if none of them went and those of each slice are larger
// than those before; nothing otherwise.
std::vector<size_t> larger_moments(const Curve& curve);

inline constexpr uint64_t samples_min = 10;  // blocks of a sample that tell a leak from chance
// True if the bytes of a sample may have changed by so much by chance, which moves them by four
// deviations up and down. `interval`: bytes for each block of the sample.
bool is_chance_of_sample(double change, const Values& bytes, uint64_t interval);

// Per unit of Curve::at.
struct Slope {
    double value = 0;
    double low = 0;  // bounds with 95 % confidence
    double high = 0;
};

// Returns the median of all slopes between two points (Theil and Sen) in the slices [begin, end).
Slope slope_of(const Values& at, const Values& values, size_t begin, size_t end);

}  // namespace memtrace::analyzer
