// SPDX-License-Identifier: Apache-2.0
//
// What the interpreter does that makes void what we remember or look at:
//
//   * It frees a code object, and the next one comes to the same address, with a frame at the same
//     address: CPython's own profiler mixed such stacks up. The code type's tp_dealloc is replaced
//     by a function that takes note and goes on to the old one.
//   * It ends, and frees the states and frames of threads that are still running. Who walks raises
//     a flag; the thread that ends the interpreter waits, once and not long, until all are down.
#pragma once

#include <atomic>
#include <cstdint>

#include "preload/python/python_runtime.h"

namespace memtrace::preload {

// Looks for an interpreter and begins to watch it: at our start, and after a dlopen() with what it
// returned. RTLD_DEFAULT is nullptr.
void start_python(void* library);

// The same in a loaded object whose code allocates for the first time. Asks the loader nothing.
void start_python_in(const dl_phdr_info& object);

// From now on called when an interpreter has been found, be it one that is watched or one that is
// refused. `is_late`: it came after our start, and a thread is recording an event just now.
void call_when_python_is_found(void (*call)(bool is_late));

// dlclose() may take the interpreter away that is in a library of its own: until it is known
// whether it did, no frame is read. If it did there is no Python, as before.
void pause_python();
void resume_python();

// ---- freed code objects -------------------------------------------------------------------------

class FreedCodes {
public:
    // Whether they are seen at all: the type may be where nobody can write. Then nothing about a
    // code object may be kept from one walk to the next.
    static bool are_watched() { return is_watched_.load(std::memory_order_acquire); }
    static uint64_t count() { return count_.load(std::memory_order_acquire); }

    // Whether `code` was freed after count() was `then`, or perhaps a little before. To be asked if
    // only few were freed since.
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
    // From now on called whenever a code object goes: by a thread that holds the GIL, and is not
    // inside of any allocator.
    static void call_when_freed(void (*call)());
    // For unit tests, whose code objects nobody frees.
    static void pretend_to_watch(bool value) { is_watched_.store(value); }

private:
    static constexpr uint64_t codes_max = 128;
    // So many interpreters of one process may be about to free one, each under a GIL of its own.
    static constexpr uint64_t in_flight_max = 8;
    static constexpr uint64_t few_max = codes_max - 4 * in_flight_max;

    static std::atomic<bool> is_watched_;
    static std::atomic<uint64_t> reserved_;
    static std::atomic<uint64_t> count_;
    static std::atomic<uint64_t> codes_[codes_max];
};

// ---- the end of the interpreter -----------------------------------------------------------------

// One for each thread that walks; stays for good, as lanes do.
class PythonWalkFlag {
public:
    void raise() {
        if (!is_listed_) add_to_list();
        // No fence: whoever waits for us makes all threads execute one.
        is_raised_.store(true, std::memory_order_relaxed);
        asm volatile("" ::: "memory");
    }
    void lower() { is_raised_.store(false, std::memory_order_release); }

    // For the thread that ends the interpreter, before it frees anything: the first call waits for
    // all others that are walking, at most 10 ms; the rest return at once.
    static void wait_for_all_once(const PythonWalkFlag* own);
    static void wait_for_all(const PythonWalkFlag* own);

    // Whether an interpreter has begun to end since the last time that this was true.
    static bool take_end();

    // How many interpreters have begun to end; and that there may be another one to come.
    static uint32_t ends();
    static void may_end_again();

    // For a forked child: the other threads are not in it.
    static void lower_all();

private:
    void add_to_list();

    std::atomic<bool> is_raised_{false};
    bool is_listed_ = false;
    PythonWalkFlag* next_ = nullptr;
};

// For hooks that give memory back, before they do: without a finaliser it is two loads. True: an
// interpreter has begun to end, and it is the first time that this is said.
inline bool await_walks_at_python_end(const PythonWalkFlag* own) {
    const PythonState state = python_state();
    if (state != PythonState::on && state != PythonState::validating) return false;
    const uint64_t finalizer = python_finalizer();
    if (finalizer == 0) [[likely]]
        return false;
    if (reinterpret_cast<uint64_t>(python.this_thread_state()) != finalizer) return false;
    PythonWalkFlag::wait_for_all_once(own);
    return PythonWalkFlag::take_end();
}

}  // namespace memtrace::preload
