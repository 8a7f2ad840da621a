// SPDX-License-Identifier: Apache-2.0
//
// The bars of histograms. Each scale is cut into bins, numbered from 0 on:
//
//   size      bytes: 0, 1, 2, 3, then four bins for each power of two: 4, 5, 6, 7, 8-9, 10-11, …
//   time      nanoseconds: below 100, then three bins for each power of ten: 100-199, 200-499, …
//   events    events from the acquisition to the release: 1, 2, 3-4, 5-8, 9-16, …
#pragma once

#include <cstdint>

namespace memtrace::analyzer {

enum class LifeScale : uint8_t { size, time, events };

// Returns the bin of a value.
uint32_t bin_of(LifeScale scale, uint64_t value);

// Returns the least value of a bin. The largest one is below the least of the next bin.
uint64_t bin_begin(LifeScale scale, uint32_t bin);

// Size: the bin of the power of two (or of 0) to which the bin belongs; others: the bin itself.
uint32_t whole_bin(LifeScale scale, uint32_t bin);

}  // namespace memtrace::analyzer
