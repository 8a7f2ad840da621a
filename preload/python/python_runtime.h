// SPDX-License-Identifier: Apache-2.0
//
// Detects CPython in this process, its version, and if its frames can be walked. Everything is
// found by name. The only function of the interpreter that is called is
// PyGILState_GetThisThreadState(), which works without the GIL, before the interpreter starts and
// after it ends.
//
//   none ──find_python()──► validating ──three different stacks read with care──► on
//                 └────────────────┴────────── anything unexpected ─────────────► off, and why
//
// Every state but `none` may become `paused` while the library that contains Python may be unloaded
// (python_invalidation.h).
#pragma once

#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "preload/python/python_layout.h"

namespace memtrace::preload {

enum class PythonState : uint8_t { none, validating, on, off, paused };

// The one interpreter. Does not change once the state is `validating`.
struct PythonRuntime {
    PythonLayout layout;
    uint64_t runtime = 0;  // &_PyRuntime
    uint64_t code_type = 0;
    uint64_t string_type = 0;
    uint64_t bytes_type = 0;
    // The evaluation loop; 0 if its size is not known.
    uint64_t evaluation_begin = 0;
    uint64_t evaluation_bytes = 0;
    void* (*this_thread_state)() = nullptr;
    // Functions of its allocators; each nullptr if not available.
    void (*get_arena_allocator)(void* allocator) = nullptr;
    void (*get_allocator)(int domain, void* allocator) = nullptr;
    void (*set_allocator)(int domain, void* allocator) = nullptr;
    void* (*object_malloc)(size_t size) = nullptr;
    void (*object_free)(void* object) = nullptr;
    void* (*mem_malloc)(size_t size) = nullptr;
    void (*mem_free)(void* object) = nullptr;
    char version[24] = {};  // "3.12.1"
};

extern PythonRuntime python;
extern std::atomic<PythonState> python_state_word;

inline PythonState python_state() { return python_state_word.load(std::memory_order_acquire); }

// The reason why the state is `off`; empty otherwise.
const char* python_why();

// Looks for an interpreter in the global scope (RTLD_DEFAULT), or in a library from dlopen that may
// be visible to no other object. Returns false if there is none, or if it is not the first.
bool find_python(void* library);

// The same for one loaded object, without calling the loader, because this runs during an event.
bool find_python_in(const dl_phdr_info& object);

// Adopts an interpreter. `found` holds all but the layout; a test supplies the layout too.
bool adopt_python(const PythonRuntime& found, const char* version_text);

// Disables Python permanently. The first reason is kept.
void switch_python_off(const char* why);

// Called after a stack was read with care and everything was as expected. After three different
// stacks, Python is on.
void note_valid_python_stack(uint64_t hash);

// Called when the library with Python was unloaded. Also for unit tests.
void forget_python();

inline uint64_t word_at(uint64_t address) { return *reinterpret_cast<const uint64_t*>(address); }

// The thread state that ends the interpreter, or 0. During the end, the states of all other threads
// are freed, some of them while the threads still run.
inline uint64_t python_finalizer() {
    const uint32_t offset = python.layout.runtime_finalizing;
    return offset == PythonLayout::none ? 0 : word_at(python.runtime + offset);
}

}  // namespace memtrace::preload
