// SPDX-License-Identifier: Apache-2.0
#include "preload/recording/heap_sample.h"

#include "preload/base/options.h"
#include "preload/recording/left_out_blocks.h"
#include "preload/recording/object_call.h"
#include "preload/writer/sample_levels.h"

namespace memtrace::preload {

constinit BlockSample heap_sample;

namespace {

constinit LeftOutBlocks left_out;  // since the recording has turned to a sample

uint64_t number_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// Called once before each release in a sample. True if the release must be recorded.
bool note_release(uint64_t address) {
    if (heap_mode() == HeapMode::turned) return !left_out.remove(address);
    return heap_sample.may_have(address) && heap_sample.remove(address);
}

// The release did not happen.
void take_back_release(uint64_t address, bool was_recorded) {
    if (heap_mode() == HeapMode::turned) {
        if (!was_recorded) left_out.add(address);
    } else if (was_recorded) {
        heap_sample.add(address);
    }
}

// Returns false if the end of this block could not be recorded.
bool note_chosen(uint64_t address) {
    if (heap_mode() != HeapMode::turned) return heap_sample.add(address);
    left_out.remove(address);
    return true;
}

}  // namespace

void leave_sample_of_parent() {
    BlockSample::begin_sequence();
    thread_state.heap_to_sample = thread_state.to_sample = 0;
}

bool begin_heap_sample() {
    // A forked child's dump has none of its parent's blocks.
    const bool is_sample = options.sample != 0 && heap_sample.start(heap_levels());
    if (options.sample == 0 && options.max_dump != 0) {
        heap_sample.start_choosing(heap_levels());
        left_out.start();
        left_out.forget();
    }
    set_heap_mode(is_sample ? HeapMode::sample : HeapMode::whole);
    return is_sample || options.sample == 0;
}

void leave_heap_whole() { set_heap_mode(HeapMode::whole); }

void take_block_of_sample(Api api, const void* block, size_t size, const void* frame) {
    if (heap_mode() == HeapMode::undecided) is_recording();  // decides
    if (!is_sample(heap_mode())) return record_acquire(api, block, size, frame);
    const unsigned level =
        heap_sample.takes(thread_state.heap_to_sample, thread_state.heap_level, size);
    if (level == 0 || !is_recording()) {
        if (heap_mode() == HeapMode::turned) left_out.add(number_of(block));
        return ObjectCall::note_taken(block);
    }
    if (!note_chosen(number_of(block))) {
        ObjectCall::note_taken(block);
        return count_lost_event();
    }
    record_sampled_acquire(api, block, size, frame, level);
}

[[gnu::hot]] void give_block_of_sample(Api api, const void* block) {
    if (!is_sample(heap_mode()) || note_release(number_of(block))) {
        return record_release(api, block);
    }
    ObjectCall::note_given(block);
    pass_release();
}

SampledResize::SampledResize(Api api, const void* block)
    : release_{moment_of_release(), api, number_of(block)},
      was_recorded_(note_release(release_.address)) {}

void SampledResize::end(const void* block, bool is_gone, size_t size, const void* frame) {
    if (!is_gone) return take_back_release(release_.address, was_recorded_);
    ObjectCall::note_given(reinterpret_cast<const void*>(release_.address));
    if (was_recorded_) record_object_release(release_);
    if (block != nullptr) take_block(release_.api, block, size, frame);
}

}  // namespace memtrace::preload
