// SPDX-License-Identifier: Apache-2.0
//
// The report `gpu`: the ledger of each device at its peak and at the end. Also the GPU part of the
// JSON of every report.
#pragma once

#include <string>

#include "analyzer/base/json_text.h"
#include "analyzer/report/report_parts.h"
#include "analyzer/sites/gpu_table.h"

namespace memtrace::analyzer {

void write_gpu(std::string& out, const Recording& recording, const TextOptions& options);

// Returns a member of the JSON document: "gpu_ledger": […]
std::string gpu_ledger_json(const Recording& recording);

// ---- parts that other reports use --------------------------------------------------------------

// Writes the rows of one moment.
void write_gpu_table(std::string& out, const GpuTable& table, const TextOptions& options);
Json gpu_table_json(const GpuTable& table);

// Returns the source, the devices, and what has no bytes of its own.
Json gpu_json(const Model& model);

// Returns for example "NVIDIA H200, 139.8 GiB, 0000:3b:00.0".
std::string gpu_device_text(const GpuDeviceInfo& device);

// Returns for example "1.5 MiB" or "-1.5 MiB".
std::string signed_bytes(int64_t bytes);

}  // namespace memtrace::analyzer
