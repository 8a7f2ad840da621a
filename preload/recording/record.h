// SPDX-License-Identifier: Apache-2.0
//
// The one funnel between the hooks and the dump. Every function here may be called at any time by
// any thread, also by a signal handler that interrupted another one; none fails, blocks on another
// thread, or changes errno. What cannot be recorded is counted as lost.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memtrace/dump/records.h"
#include "preload/base/thread_state.h"

namespace memtrace::preload {

// True where an allocation or a mapping is our own doing: blocks must then come from own_heap.
inline bool inside_own_code() { return thread_state.inside == ThreadMode::library; }

// After an acquisition that succeeded. `frame` is the hook's own: see MEMTRACE_FRAME.
void record_acquire(Api api, const void* block, size_t size, const void* frame);

// Before the real release: afterwards the address may already belong to another thread.
void record_release(Api api, const void* block);

// A resize has two moments: begin_resize() before the real call, then record_resize() if it
// succeeded. Nothing else if it failed: then nothing happened.
struct ResizeStart {
    uint64_t time = 0;
    uint32_t stack = no_stack;
    bool active = false;
    bool nested = false;  // in a signal handler that interrupted the recording of another event
};
ResizeStart begin_resize(const void* frame);
void record_resize(const ResizeStart& start, Api api, const void* old_block, const void* block,
                   size_t size);

// The same for objects of Python's allocator, which is itself a user of malloc and mmap. Only after
// the real release is it known whether the object was one of its own or a block of malloc's; so its
// moment is taken before. Nobody else can be given its place meanwhile: that needs the GIL.
void record_object_acquire(Api api, const void* object, size_t size, const void* frame);
uint64_t moment_of_release();
void record_object_release(const Release& release);
void record_python_objects(PythonObjectsState state, uint64_t interval, Text why);
// What should have been recorded of them and was not.
void count_lost_object();

void record_map(Api api, const void* address, size_t size, MapClass map_class, MapPurpose purpose,
                const void* frame);
// `time` from moment_before(); only if the call succeeded.
uint64_t moment_before();
void record_unmap(uint64_t time, Api api, const void* address, size_t size);
void record_remap(const ResizeStart& start, Api api, const void* old_address, size_t old_size,
                  const void* address, size_t size);

// Blocks of PyTorch's caching allocators. Time and stack are filled in here.
void record_tensor_acquire(TensorAcquire record, const void* frame);
void record_tensor_release(TensorRelease record);
void record_tensor_refused(TensorRefused record, const void* frame);

void record_fork(int child_pid);
// All but the time.
inline constexpr size_t mark_text_max = 4096;
void record_mark(Mark mark);
void record_work_end(WorkEndKind kind);
void record_note(Text subject, Text text);

}  // namespace memtrace::preload
