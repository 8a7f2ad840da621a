// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/record_gpu.h"

#include <type_traits>

#include "preload/recording/event_scope.h"

namespace memtrace::preload {
namespace {

// Records that events of other lanes refer to.
template <class Record>
constexpr bool is_definition =
    std::is_same_v<Record, GpuSource> || std::is_same_v<Record, GpuDevice> ||
    std::is_same_v<Record, GpuContext> || std::is_same_v<Record, GpuPool>;

}  // namespace

template <class Record>
void record_gpu(Record record, const void* frame) {
    EventScope event;
    if (event.is_nested()) dump_file::count_lost_events(1);
    if (!event) return;
    ThreadLane& lane = event.lane();
    if constexpr (requires { record.stack; }) record.stack = lane.capture_stack(frame);
    // Stamped last: until this call returns, no other thread can know the memory.
    record.time = lane.stamp(ticks_now());
    event.lost_unless(lane.put_long(record));
    if constexpr (is_definition<Record>) lane.secure();
    sample_if_due(lane, record.time);
}

template <class Record>
void record_gpu_release(Record record, uint64_t began) {
    EventScope event;
    if (event.is_nested()) dump_file::count_lost_events(1);
    if (!event) return;
    ThreadLane& lane = event.lane();
    record.time = lane.stamp(began);
    record.lead = record.time - began;
    event.lost_unless(lane.put_long(record));
    sample_if_due(lane, ticks_now());
}

template void record_gpu(GpuSource, const void*);
template void record_gpu(GpuDevice, const void*);
template void record_gpu(GpuAcquire, const void*);
template void record_gpu(GpuRetain, const void*);
template void record_gpu(GpuMap, const void*);
template void record_gpu(GpuContext, const void*);
template void record_gpu(GpuOverhead, const void*);
template void record_gpu(GpuPool, const void*);
template void record_gpu(GpuRefused, const void*);
template void record_gpu(GpuUsage, const void*);
template void record_gpu_release(GpuRelease, uint64_t);
template void record_gpu_release(GpuUnmap, uint64_t);
template void record_gpu_release(GpuContext, uint64_t);

}  // namespace memtrace::preload
