// SPDX-License-Identifier: Apache-2.0
//
// How much each site held while the program ran: what growth is judged by (growth.h).
//
// The run is cut into slices, some hundred at most. A site has a point for each slice in which it
// changed, so what does nothing costs nothing:
//
//   slices            0       1       2       3       4
//   held         ──────╱▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔▔╲______________
//   points             0: 100          2: 40                 (1 is like 0; 3 and 4 like 2)
//
// What is alive at the end of the last slice is also told by the slice in which it was acquired: a
// leak keeps blocks of all times, whatever turns over has young ones only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace memtrace::analyzer {

// At the end of a slice, and of those after it until there is another point.
struct HeldPoint {
    uint32_t slice = 0;
    uint64_t bytes = 0;
    uint64_t blocks = 0;
    uint64_t allocations = 0;  // since the beginning
};

// What was acquired in the slice and is alive at the end of the last one.
struct BornPoint {
    uint32_t slice = 0;
    uint64_t bytes = 0;
    uint64_t blocks = 0;
};

struct SiteHistory {
    std::vector<HeldPoint> held;  // in the order of slices
    std::vector<BornPoint> born;  // one for each slice at most, in the order of slices
};

struct RunSlice {
    uint64_t end_ns = 0;
    uint64_t steps = 0;   // of the program that ended in it
    uint64_t events = 0;  // that were recorded in it
};

struct RunSlices {
    std::vector<RunSlice> slices;  // one after the other, from the start of the recording on
    std::string step;              // the mark that they were cut by; empty: by time and events
    uint64_t steps = 0;            // of the program, together
    bool is_trimmed = false;       // what came last was left out: it only released
};

}  // namespace memtrace::analyzer
