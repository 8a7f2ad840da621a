// SPDX-License-Identifier: Apache-2.0
//
// The heap as a sample (options `sample` and `max_dump`). The hooks of malloc call the functions
// below. Where everything is recorded, they are those of record.h and one load. In a sample, a
// block that is left out costs a subtraction when it comes and a load of a filter when it goes.
//
// A recording that has *turned* to a sample (max_dump) has older blocks as well. So a release is
// recorded unless the block is one of those that were left out since. Such a block costs an atomic
// operation when it comes, and another when it goes.
//
// A resize of a sampled heap is a release and an acquisition: the block that comes is chosen anew.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memtrace/dump/records.h"
#include "preload/base/recording_state.h"
#include "preload/base/thread_state.h"
#include "preload/python/python_invalidation.h"
#include "preload/recording/block_sample.h"
#include "preload/recording/record.h"

namespace memtrace::preload {

extern BlockSample heap_sample;

// In a forked child: it draws numbers of its own, or all children would choose the same blocks.
void leave_sample_of_parent();

// Decides the mode of this process from the options, before the recording is on. Returns false if
// there is no memory for the sample.
bool begin_heap_sample();
// The mode of a process that is not recorded.
void leave_heap_whole();

void take_block_of_sample(Api api, const void* block, size_t size, const void* frame);
void give_block_of_sample(Api api, const void* block);

// Called after an acquisition that succeeded. `frame` is the hook's own (see MEMTRACE_FRAME).
[[gnu::always_inline]] inline void take_block(Api api, const void* block, size_t size,
                                              const void* frame) {
    const HeapMode mode = heap_mode();
    if (mode == HeapMode::whole) [[likely]]
        return record_acquire(api, block, size, frame);
    uint32_t& left = thread_state.heap_to_sample;
    if (size < left && thread_state.object_call == nullptr && mode == HeapMode::sample) {
        left -= static_cast<uint32_t>(size);
        return;
    }
    take_block_of_sample(api, block, size, frame);
}

// Called before the real release.
[[gnu::always_inline]] inline void give_block(Api api, const void* block) {
    const HeapMode mode = heap_mode();
    if (mode == HeapMode::whole) [[likely]]
        return record_release(api, block);
    const bool may_be_recorded =
        mode != HeapMode::sample || heap_sample.may_have(reinterpret_cast<uint64_t>(block));
    if (may_be_recorded || thread_state.object_call != nullptr || may_end_python()) [[unlikely]]
        give_block_of_sample(api, block);
}

// A resize in a sample: made before the real call; end() after it.
class SampledResize {
public:
    SampledResize(Api api, const void* block);
    // `block`: what the real call has returned. `is_gone`: the old block is gone.
    void end(const void* block, bool is_gone, size_t size, const void* frame);

private:
    Release release_;
    bool was_recorded_;
};

}  // namespace memtrace::preload
