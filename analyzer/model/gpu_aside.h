// SPDX-License-Identifier: Apache-2.0
//
// Counts things that have no bytes of their own in any space (GpuAside).
#pragma once

#include <algorithm>
#include <cstdint>

#include "analyzer/model/gpu_model.h"

namespace memtrace::analyzer {

inline void come(GpuAside& aside, uint64_t bytes) {
    aside.count += 1;
    aside.live += 1;
    aside.live_bytes += bytes;
    aside.most_bytes = std::max(aside.most_bytes, aside.live_bytes);
}

inline void go(GpuAside& aside, uint64_t bytes) {
    aside.live -= 1;
    aside.live_bytes -= bytes;
}

}  // namespace memtrace::analyzer
