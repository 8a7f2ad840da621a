// SPDX-License-Identifier: Apache-2.0
//
// The figures that two recordings are compared by.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct DiffFigures {
    uint64_t peak_bytes = 0;  // when the space was at its peak
    uint64_t peak_blocks = 0;
    uint64_t held_bytes = 0;  // at the end: see held_measure()
    uint64_t held_blocks = 0;
    uint64_t allocated_bytes = 0;
    uint64_t allocations = 0;
    uint64_t step_bytes = 0;  // allocated in the steps of the program, all together
    uint64_t step_allocations = 0;

    bool operator==(const DiffFigures&) const = default;
};

inline constexpr std::array diff_figures{
    &DiffFigures::peak_bytes,  &DiffFigures::peak_blocks,     &DiffFigures::held_bytes,
    &DiffFigures::held_blocks, &DiffFigures::allocated_bytes, &DiffFigures::allocations,
    &DiffFigures::step_bytes,  &DiffFigures::step_allocations};

void add(DiffFigures& sum, const DiffFigures& part);

// The figures of a site or a space. Those of steps are 0.
DiffFigures figures_of(const Totals& totals, const Model& model, const Space& space);

// Adds what a history has after its first slice, which is that before the first step.
void add_steps(DiffFigures& figures, const SiteHistory& history);

// What a difference is explained in: bytes, with a number of blocks or allocations beside them.
struct DiffMeasure {
    std::string_view name;
    std::string_view title;  // "peak", in front of "of host"
    uint64_t DiffFigures::*bytes;
    uint64_t DiffFigures::*blocks;
};
inline constexpr DiffMeasure peak_difference{"peak", "Peak", &DiffFigures::peak_bytes,
                                             &DiffFigures::peak_blocks};
inline constexpr DiffMeasure held_difference{"held", "Held at the end", &DiffFigures::held_bytes,
                                             &DiffFigures::held_blocks};
inline constexpr DiffMeasure step_difference{"step", "A step", &DiffFigures::step_bytes,
                                             &DiffFigures::step_allocations};

}  // namespace memtrace::analyzer
