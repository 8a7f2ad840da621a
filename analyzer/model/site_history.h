// SPDX-License-Identifier: Apache-2.0
//
// Memory that each site held while the program ran. growth.h judges growth by it.
//
// The run is cut into slices, a few hundred at most. A site has a point for each slice in which it
// changed, so an idle site costs nothing:
//
//   slices            0       1       2       3       4
//   held         ──────╱▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔╲______________
//   points             0: 100          2: 40                 (1 is like 0; 3 and 4 like 2)
//
// Blocks that are alive at the end of the last slice are also counted by the slice in which they
// were acquired. A leak keeps blocks of all ages; memory that turns over has young blocks only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace memtrace::analyzer {

// Figures at the end of a slice, and of all later slices until the next point.
struct HeldPoint {
    uint32_t slice = 0;
    uint64_t bytes = 0;
    uint64_t blocks = 0;
    uint64_t allocations = 0;      // from the start of the recording
    uint64_t allocated_bytes = 0;  // the same; 0 in profiles of older versions
};

// Memory acquired in the slice and alive at the end of the last slice.
struct BornPoint {
    uint32_t slice = 0;
    uint64_t bytes = 0;
    uint64_t blocks = 0;
};

struct SiteHistory {
    std::vector<HeldPoint> held;  // in the order of slices
    std::vector<BornPoint> born;  // at most one for each slice, in their order

    // Leaves out what comes after so many slices.
    void cut(size_t slices) {
        while (!held.empty() && held.back().slice >= slices) held.pop_back();
        while (!born.empty() && born.back().slice >= slices) born.pop_back();
    }
};

struct RunSlice {
    uint64_t end_ns = 0;
    uint64_t steps = 0;   // steps of the program that ended in it
    uint64_t events = 0;  // events recorded in it
    // Only by request: a part of the next slice, and a slice after the last one that is judged.
    bool is_part = false;
    bool is_after = false;
};

struct RunSlices {
    std::vector<RunSlice> slices;  // one after the other, from the start of the recording
    std::string step;              // mark at which the run was cut; empty: cut by time and events
    uint64_t steps = 0;            // steps of the program in all slices
    bool is_found = false;         // `step` is a loop that was found, and not a mark.
    bool is_trimmed = false;       // The last part, which only released memory, is left out.

    // Returns the number of slices before those after the last one that is judged.
    size_t judged() const {
        size_t count = slices.size();
        while (count > 0 && slices[count - 1].is_after) --count;
        return count;
    }
};

}  // namespace memtrace::analyzer
