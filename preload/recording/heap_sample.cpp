// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/heap_sample.h"

#include "preload/recording/object_call.h"

namespace memtrace::preload {

constinit BlockSample heap_sample;

namespace {

uint64_t number_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

bool is_in_sample(const void* block) {
    return heap_sample.may_have(number_of(block)) && heap_sample.remove(number_of(block));
}

}  // namespace

bool begin_heap_sample(uint64_t interval) {
    // A forked child's dump has none of its parent's blocks: start() forgets them.
    const bool is_sample = interval != 0 && heap_sample.start(interval);
    set_heap_mode(is_sample ? HeapMode::sample : HeapMode::whole);
    return is_sample || interval == 0;
}

void take_block_of_sample(Api api, const void* block, size_t size, const void* frame) {
    const bool is_recorded = is_recording();  // May decide the mode.
    if (heap_mode() != HeapMode::sample) {
        return record_acquire(api, block, size, frame);
    }
    if (!heap_sample.takes(thread_state.heap_to_sample, size) || !is_recorded) {
        return ObjectCall::note_taken(block);
    }
    if (!heap_sample.add(number_of(block))) {
        ObjectCall::note_taken(block);
        return count_lost_event();
    }
    record_acquire(api, block, size, frame);
}

[[gnu::hot]] void give_block_of_sample(Api api, const void* block) {
    if (heap_mode() != HeapMode::sample || is_in_sample(block)) {
        return record_release(api, block);
    }
    ObjectCall::note_given(block);
    pass_release();
}

SampledResize::SampledResize(Api api, const void* block)
    : release_{moment_of_release(), api, number_of(block)}, was_sampled_(is_in_sample(block)) {}

void SampledResize::end(const void* block, bool is_gone, size_t size, const void* frame) {
    if (!is_gone) {
        if (was_sampled_) heap_sample.add(release_.address);
        return;
    }
    ObjectCall::note_given(reinterpret_cast<const void*>(release_.address));
    if (was_sampled_) record_object_release(release_);
    if (block != nullptr) take_block(release_.api, block, size, frame);
}

}  // namespace memtrace::preload
