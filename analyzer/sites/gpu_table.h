// SPDX-License-Identifier: Apache-2.0
//
// The ledger of one device at one moment: its used memory, row by row. The rows and the unexplained
// rest add up to the measurement of an independent source.
//
//   measured                     20.0 GiB, if less or more was recorded then: corrected by that
//   = recorded rows              the device's space, broken down: tensors, free parts of segments,
//                                other libraries by owner, memory kept by driver pools and graphs
//   + estimated rows             contexts and modules, pages that are not full
//   + not explained              the rest; negative if more was recorded than measured
//
// Recorded rows add up to the space to the byte.
//
// If filters removed sites, the table has recorded rows only, and PyTorch's memory is one row. The
// parts of its segments and the estimates are those of the whole device.
#pragma once

#include <cstddef>
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
    // The measurement nearest in time; that of the process is preferred to that of the device.
    std::optional<GpuUsageInfo> measured;
    int64_t recorded_since = 0;  // bytes recorded after the measurement, or less than 0 if before
    uint64_t recorded = 0;
    std::vector<GpuRow> rows;
    std::optional<int64_t> not_explained;  // nothing: not measured
    size_t processes = 1;                  // that it is the sum of
    bool is_filtered = false;  // only sites that pass the filters; the rows add up to `recorded`
};

// bytes_of(site) returns the bytes that a site of the device's space held at the moment, by its
// index in the space.
GpuTable make_gpu_table(const Recording& recording, uint32_t device, const GpuFigures& figures,
                        const std::function<uint64_t(size_t site)>& bytes_of);

GpuTable gpu_table_at_peak(const Recording& recording, const GpuDeviceInfo& device);
GpuTable gpu_table_at_end(const Recording& recording, const GpuDeviceInfo& device);
// Returns the table at the last refusal of a device's memory. There must be one.
GpuTable gpu_table_at_refusal(const Recording& recording);

// Returns how GPUs were recorded: "driver" or "none: why".
std::string gpu_state_text(const Model& model);
// Returns why nothing is known of memory of GPUs, as a clause. Empty if it was recorded, or if the
// program used no GPU.
std::string gpu_unknown_text(const Model& model);

}  // namespace memtrace::analyzer
