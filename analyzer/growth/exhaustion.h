// SPDX-License-Identifier: Apache-2.0
//
// When the memory of the machine, or of a GPU, is used up if growth continues as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/growth/growth_judge.h"
#include "analyzer/growth/resident_trend.h"
#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// The time when memory runs out if growth continues at this rate.
struct Exhaustion {
    std::string of;         // "host", or the space of a device
    uint64_t capacity = 0;  // bytes; 0: not known
    uint64_t used = 0;
    uint64_t own = 0;  // of `used`: pages of memtrace, which are not in the rate; 0: not known
    double bytes_per_hour = 0;
    double after_ns = 0;    // counted from the end of the last slice
    std::string not_known;  // why there is no such time; empty: there is
};

// The machine's memory is used up by resident pages, so the rate is that of the resident set.
// `memory`: bytes of the host; empty: not known.
Exhaustion host_exhaustion(const ResidentTrend& trend, std::optional<uint64_t> memory);

// Returns the memories that run out, and those of which it cannot be told although something leaks
// in them. `memory`: bytes of the host; empty: taken from the dump.
std::vector<Exhaustion> find_exhaustions(const Model& model, const std::vector<SpaceGrowth>& spaces,
                                         std::optional<uint64_t> memory);

}  // namespace memtrace::analyzer
