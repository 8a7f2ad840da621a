// SPDX-License-Identifier: Apache-2.0
//
// Is there a CPython in this process, which one, and can its frames be walked? Everything is found
// by name, nothing in the interpreter is called but PyGILState_GetThisThreadState(), which works
// without the GIL, before the interpreter starts and after it ends.
//
//   none ──find_python()──► validating ──three different stacks read with care──► on
//                 └────────────────┴────────── anything unexpected ─────────────► off, and why
//
// Each but `none` may be `paused` while the library that it is in may be unloaded
// (python_invalidation.h).
#pragma once

#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "preload/python/python_layout.h"

namespace memtrace::preload {

enum class PythonState : uint8_t { none, validating, on, off, paused };

// Of the one interpreter; does not change once the state is `validating`.
struct PythonRuntime {
    PythonLayout layout;
    uint64_t runtime = 0;  // &_PyRuntime
    uint64_t code_type = 0;
    uint64_t string_type = 0;
    uint64_t bytes_type = 0;
    // The evaluation loop; 0 if it is not known how large it is.
    uint64_t evaluation_begin = 0;
    uint64_t evaluation_bytes = 0;
    void* (*this_thread_state)() = nullptr;
    // Of its allocators; each nullptr if it is not to be had.
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

// Why the state is `off`; empty otherwise.
const char* python_why();

// Looks for an interpreter: in what every symbol search sees (RTLD_DEFAULT), or in a library that
// was dlopen'ed and may be visible to nobody else. False: there is none, or it is not the first.
bool find_python(void* library);

// The same in one loaded object, without asking the loader: in the middle of an event.
bool find_python_in(const dl_phdr_info& object);

// Takes an interpreter of which all is known but the layout, unless a test says that as well.
bool adopt_python(const PythonRuntime& found, const char* version_text);

// Never to be walked again. The first reason stays.
void switch_python_off(const char* why);

// A stack was read with care and everything about it was as it should be. After three different
// ones Python is on.
void note_valid_python_stack(uint64_t hash);

// There is none any more: its library was unloaded. Also for unit tests.
void forget_python();

inline uint64_t word_at(uint64_t address) { return *reinterpret_cast<const uint64_t*>(address); }

// The thread state that ends the interpreter; 0 while none does. All other threads' states are
// freed then, some of them while the threads still run.
inline uint64_t python_finalizer() {
    const uint32_t offset = python.layout.runtime_finalizing;
    return offset == PythonLayout::none ? 0 : word_at(python.runtime + offset);
}

}  // namespace memtrace::preload
