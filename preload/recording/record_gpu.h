// SPDX-License-Identifier: Apache-2.0
//
// The funnel for what the driver of a GPU was asked: as record.h, for the records of gpu_records.h.
// Nothing here calls the driver: what a record says is asked before (cuda_queries.h).
#pragma once

#include <cstdint>

#include "memtrace/dump/gpu_records.h"

namespace memtrace::preload {

// After the call. `frame` is the hook's own; records without a stack need none.
template <class Record>
void record_gpu(Record record, const void* frame);

// What was stamped before the call: GpuRelease, GpuUnmap, and the end of a context. `began` is from
// ticks_now().
template <class Record>
void record_gpu_release(Record record, uint64_t began);

}  // namespace memtrace::preload
