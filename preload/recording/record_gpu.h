// SPDX-License-Identifier: Apache-2.0
//
// The funnel for calls of a GPU's driver: like record.h, for the records of gpu_records.h.
// Nothing here calls the driver. The content of a record is queried before (cuda_queries.h).
#pragma once

#include <cstdint>

#include "memtrace/dump/gpu_records.h"

namespace memtrace::preload {

// Called after the driver's call. `frame` is the hook's own; records without a stack need none.
template <class Record>
void record_gpu(Record record, const void* frame);

// For records with a stamp from before the call: GpuRelease, GpuUnmap, and the end of a context.
// `began` is from ticks_now().
template <class Record>
void record_gpu_release(Record record, uint64_t began);

}  // namespace memtrace::preload
