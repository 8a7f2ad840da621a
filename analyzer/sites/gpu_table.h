// SPDX-License-Identifier: Apache-2.0
//
// The ledger of one device at one moment: what is taken of it, row by row, so that rows and what is
// not explained add up to what an independent source measured.
//
//   measured                     20.0 GiB
//   = recorded rows              the device's space, broken down: tensors, free parts of segments,
//                                other libraries by owner, what the driver's pools and graphs keep
//   + estimated rows             contexts and modules, pages that are not full
//   + not explained              the rest; less than 0 where we know of more than was measured
//
// Rows that were recorded add up to the space to the byte.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

struct GpuRow {
    std::string key;  // "tensors", "cached", "fragmented", "owner:NCCL", "context", …
    std::string name;
    int64_t bytes = 0;
    std::string detail;
    bool is_estimate = false;
};

struct GpuTable {
    uint64_t time_ns = 0;
    // The nearest one in time; of the process, if there is one.
    std::optional<GpuUsageInfo> measured;
    uint64_t recorded = 0;
    std::vector<GpuRow> rows;
    std::optional<int64_t> not_explained;  // nothing: nothing was measured
};

// `bytes_of(site)`: what the site of the device's space held at the moment; its index in the space.
GpuTable make_gpu_table(const Recording& recording, uint32_t device, const GpuFigures& figures,
                        const std::function<uint64_t(size_t site)>& bytes_of);

GpuTable gpu_table_at_peak(const Recording& recording, const GpuDeviceInfo& device);
GpuTable gpu_table_at_end(const Recording& recording, const GpuDeviceInfo& device);
// At the last refusal. Only if there is one.
GpuTable gpu_table_at_refusal(const Recording& recording);

// "driver", "none: why"
std::string gpu_state_text(const Model& model);

}  // namespace memtrace::analyzer
