// SPDX-License-Identifier: Apache-2.0
//
// The one funnel between the hooks and the dump. Every function here may be called at any time by
// any thread, also by a signal handler that interrupted another one; none fails, blocks on another
// thread, or changes errno. What cannot be recorded is counted as lost.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memtrace/records.h"

namespace memtrace::preload {

// True where an allocation that is called from `caller` is our own doing and must come from
// own_heap.
bool inside_library(const void* caller);

// True where a mapping of this thread is our own doing.
bool inside_own_code();

// After an acquisition that succeeded. `caller` is the return address of the hook.
void record_acquire(Api api, const void* block, size_t size, void* caller);

// Before the real release: afterwards the address may already belong to another thread.
void record_release(Api api, const void* block);

// A resize has two moments: begin_resize() before the real call, then record_resize() if it
// succeeded. Nothing else if it failed: then nothing happened.
struct ResizeStart {
    uint64_t time = 0;
    uint32_t stack = no_stack;
    bool     active = false;
    bool     nested = false;  // in a signal handler that interrupted the recording of another event
};
ResizeStart begin_resize(void* caller);
void record_resize(const ResizeStart& start, Api api, const void* old_block, const void* block,
                   size_t size);

void record_map(Api api, const void* address, size_t size, MapClass map_class, void* caller);
// `time` from moment_before(); only if the call succeeded.
uint64_t moment_before();
void record_unmap(uint64_t time, Api api, const void* address, size_t size);
void record_remap(const ResizeStart& start, Api api, const void* old_address, size_t old_size,
                  const void* address, size_t size);

void record_fork(int child_pid);
void record_mark(MarkKind kind, const char* text);
void record_note(Text subject, Text text);
void record_unloaded_modules();

}  // namespace memtrace::preload
