// SPDX-License-Identifier: Apache-2.0
//
// The one funnel between the hooks and the dump. Any thread may call every function here at any
// time, also in a signal handler that interrupted another call. No function fails, blocks on
// another thread or changes errno. Events that cannot be recorded are counted as lost.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memtrace/dump/records.h"
#include "preload/base/thread_state.h"

namespace memtrace::preload {

class ThreadLane;

// True if an allocation or a mapping is our own. Blocks must then come from internal_heap.
inline bool inside_own_code() { return thread_state.inside == ThreadMode::library; }

// Called after an acquisition that succeeded. `frame` is the hook's own (see MEMTRACE_FRAME).
void record_acquire(Api api, const void* block, size_t size, const void* frame);
// The same for a block of a sample. `level`: the one at which it was chosen (sample_levels.h).
void record_sampled_acquire(Api api, const void* block, size_t size, const void* frame,
                            unsigned level);

// Called before the real release; afterwards the address may already belong to another thread.
void record_release(Api api, const void* block);

// Called before a release that is not recorded: an interpreter that ends waits for threads that
// walk its frames.
void pass_release();

// A resize has two moments: begin_resize() before the real call, and record_resize() after it
// succeeded. A call that failed changed nothing and is not recorded.
struct ResizeStart {
    uint64_t time = 0;
    uint32_t stack = no_stack;
    bool active = false;
    bool nested = false;  // in a signal handler that interrupted the recording of another event
};
ResizeStart begin_resize(const void* frame);
void record_resize(const ResizeStart& start, Api api, const void* old_block, const void* block,
                   size_t size);

// The same for objects of Python's allocator, which itself calls malloc and mmap. Only after the
// real release is it known whether the object was one of the allocator's own or a block of
// malloc's, so the moment is taken before. No other thread can get the object's address
// meanwhile, because that needs the GIL.
// `level`: as above; 0: every object is recorded.
void record_object_acquire(Api api, const void* object, size_t size, const void* frame,
                           unsigned level);
uint64_t moment_of_release();
void record_object_release(const Release& release);
void record_python_objects(PythonObjectsState state, uint64_t interval, Text why);
// Counts an event that should have been recorded and was not.
void count_lost_event();

void record_map(Api api, const void* address, size_t size, MapClass map_class, MapPurpose purpose,
                const void* frame);
// `time` is from moment_before(). Called only if the call succeeded.
uint64_t moment_before();
void record_unmap(uint64_t time, Api api, const void* address, size_t size);
void record_remap(const ResizeStart& start, Api api, const void* old_address, size_t old_size,
                  const void* address, size_t size);

// Blocks of PyTorch's caching allocators. These functions fill in time and stack.
void record_tensor_acquire(TensorAcquire record, const void* frame);
void record_tensor_release(TensorRelease record);
void record_tensor_refused(TensorRefused record, const void* frame);

void record_fork(int child_pid);
// `mark` without its time, which record_mark() fills in.
inline constexpr size_t mark_text_max = 4096;
void record_mark(Mark mark);
void record_work_end(WorkEndKind kind);

// Called before something is released that is not recorded: the interpreter may have begun to end.
void note_python_end();
// Called when an interpreter of Python begins to end, before it releases anything. nullptr: nobody.
using PythonEndObserver = void (*)(ThreadLane& lane);
void set_python_end_observer(PythonEndObserver observer);
void record_note(Text subject, Text text);

}  // namespace memtrace::preload
