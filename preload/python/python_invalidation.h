// SPDX-License-Identifier: Apache-2.0
//
// Events of the interpreter that invalidate what the shim remembers or reads:
//
//   * The interpreter frees a code object, and the next code object comes to the same address, with
//     a frame at the same address. CPython's own profiler mixed up such stacks. The code type's
//     tp_dealloc is replaced by a function that notes the code object and calls the old one.
//   * The interpreter ends, and frees the states and frames of threads that are still running. Each
//     walking thread raises a flag. The thread that ends the interpreter waits, once and briefly,
//     until all flags are down.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/python/python_runtime.h"

namespace memtrace::preload {

// Looks for an interpreter and begins to watch it: at the shim's start, and after a dlopen() with
// the handle that it returned. RTLD_DEFAULT is nullptr.
void start_python(void* library);

// The same for a loaded object when its code allocates for the first time. Does not call the
// loader.
void start_python_in(const dl_phdr_info& object);

// Sets a function to call when an interpreter has been found, even if the interpreter is refused.
// `is_late` means that it came after the shim's start and that the thread is recording an event.
void call_when_python_is_found(void (*call)(bool is_late));

// dlclose() may unload an interpreter that is in a separate library. No frame is read until that is
// decided. After an unload there is no Python, as before.
void pause_python();
void resume_python();

// ---- freed code objects -------------------------------------------------------------------------

class FreedCodes {
public:
    // True if freed code objects are seen. The code type may be in read-only memory. Then nothing
    // about a code object may be kept from one walk to the next.
    static bool are_watched() { return is_watched_.load(std::memory_order_acquire); }
    static uint64_t count() { return count_.load(std::memory_order_acquire); }

    // True if `code` was freed after count() was `then`, or possibly a little before. Must be
    // called only if are_few().
    static bool has(uint64_t code, uint64_t then, uint64_t now) {
        for (uint64_t i = then - in_flight_max; i != now + in_flight_max; ++i) {
            if (codes_[i % codes_max].load(std::memory_order_relaxed) == code) return true;
        }
        return false;
    }
    static bool are_few(uint64_t then, uint64_t now) { return now - then < few_max; }

    static void note(uint64_t code) {
        const uint64_t place = reserved_.fetch_add(1, std::memory_order_relaxed);
        codes_[place % codes_max].store(code, std::memory_order_relaxed);
        count_.fetch_add(1, std::memory_order_release);
    }

    static void watch();
    // Sets a function to call whenever a code object is freed. The thread then holds the GIL and is
    // inside no allocator.
    static void call_when_freed(void (*call)());
    // For unit tests, in which no interpreter frees code objects.
    static void pretend_to_watch(bool value) { is_watched_.store(value); }

private:
    static constexpr uint64_t codes_max = 128;
    // Number of interpreters in a process that may be freeing a code object at once, each under a
    // separate GIL.
    static constexpr uint64_t in_flight_max = 8;
    static constexpr uint64_t few_max = codes_max - 4 * in_flight_max;

    static std::atomic<bool> is_watched_;
    static std::atomic<uint64_t> reserved_;
    static std::atomic<uint64_t> count_;
    static std::atomic<uint64_t> codes_[codes_max];
};

// ---- the end of the interpreter -----------------------------------------------------------------

// The flag of a thread that walks. Stays forever, as lanes do.
class PythonWalkFlag {
public:
    void raise() {
        if (!is_listed_) add_to_list();
        // No fence is needed, because the waiting thread makes all threads execute one.
        is_raised_.store(true, std::memory_order_relaxed);
        asm volatile("" ::: "memory");
    }
    void lower() { is_raised_.store(false, std::memory_order_release); }

    // Called by the thread that ends the interpreter, before it frees anything. The first call
    // waits for all other walking threads, at most 10 ms. Later calls return at once.
    static void wait_for_all_once(const PythonWalkFlag* own);
    static void wait_for_all(const PythonWalkFlag* own);

    // True if an interpreter has begun to end since this last returned true.
    static bool take_end();

    // The number of interpreters that have begun to end, and a way to allow another end.
    static uint32_t ends();
    static void may_end_again();

    // For a forked child, which does not have the other threads.
    static void lower_all();

private:
    void add_to_list();

    std::atomic<bool> is_raised_{false};
    bool is_listed_ = false;
    PythonWalkFlag* next_ = nullptr;
};

// False if no interpreter is about to end.
inline bool may_end_python() {
    const PythonState state = python_state();
    return (state == PythonState::on || state == PythonState::validating) &&
           python_finalizer() != 0;
}

// Called by hooks that release memory, before they do so. Without a finaliser it costs two loads.
// Returns true if an interpreter has begun to end, once for each end.
inline bool await_walks_at_python_end(const PythonWalkFlag* own) {
    if (!may_end_python()) [[likely]]
        return false;
    if (reinterpret_cast<uint64_t>(python.this_thread_state()) != python_finalizer()) return false;
    PythonWalkFlag::wait_for_all_once(own);
    return PythonWalkFlag::take_end();
}

}  // namespace memtrace::preload
