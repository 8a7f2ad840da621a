// SPDX-License-Identifier: Apache-2.0
//
// When the memory of the machine, or of a GPU, is used up if growth continues as it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/growth/space_growth.h"
#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// The time when memory runs out if growth continues at this rate.
struct Exhaustion {
    std::string of;  // "host", or the space of a device
    uint64_t capacity = 0;
    uint64_t used = 0;
    double bytes_per_hour = 0;
    double after_ns = 0;  // counted from the end of the last slice
};

// Returns the memories that run out. `until_ns`: end of the last slice. `memory`: bytes of the
// host; empty: taken from the dump.
std::vector<Exhaustion> find_exhaustions(const Model& model, const std::vector<SpaceGrowth>& spaces,
                                         uint64_t until_ns, std::optional<uint64_t> memory);

}  // namespace memtrace::analyzer
