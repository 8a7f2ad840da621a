// SPDX-License-Identifier: Apache-2.0
//
// The state of each thread in the shim: its lane, and a mark while it is inside the shim. It is
// plain data in initial-exec TLS. Reading it calls nothing, and nothing runs when a thread ends.
#pragma once

#include <atomic>
#include <cstdint>

namespace memtrace::preload {

class Lane;
class ObjectCall;

enum class ThreadMode : uint8_t {
    program = 0,  // An allocation now is the program's.
    record = 1,   // A record is being written; an allocation now is a signal handler's.
    library = 2,  // The shim called libc or ld.so; an allocation now is the shim's.
};

struct ThreadState {
    Lane* lane;
    // One word: where the record that is being written began (the stack pointer, above the lowest
    // byte), and the mode. A signal handler that comes in between must not see one without the
    // other.
    union {
        uint64_t entered;
        ThreadMode inside;
    };
    uint8_t callback_place;  // of a CUPTI callback, in cuda_callback_context.cpp; 0: none
    uint8_t object_level;    // the level at which to_sample was drawn (sample_levels.h)
    uint16_t driver_call;    // place_of() the hook through which this thread is in the GPU's driver
    uint32_t to_sample;      // bytes of Python's objects until the next sampled byte; 0: not begun
    uint32_t heap_to_sample;  // the same of the heap
    uint8_t heap_level;
    int16_t without_search;   // __lsan_disable() less __lsan_enable()
    ObjectCall* object_call;  // the call of Python's object allocator that this thread is in
};

extern __thread ThreadState thread_state __attribute__((tls_model("initial-exec")));

inline uintptr_t stack_pointer() {
    uintptr_t value;
    asm volatile("mov %%rsp, %0" : "=r"(value));
    return value;
}

// Says that this thread writes a record from now on, which begins at the stack pointer `began_at`.
// Addresses of programs have at most 56 bits.
inline void enter_record(ThreadState& state, uintptr_t began_at = stack_pointer()) {
    const uint64_t entered = began_at << 8 | static_cast<uint64_t>(ThreadMode::record);
    __atomic_store_n(&state.entered, entered, __ATOMIC_RELAXED);
    // Lane::is_outgrown() is read after this, see ThreadLane::send_away().
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Returns the stack pointer where the record that is being written began.
inline uintptr_t recording_at(const ThreadState& state) { return state.entered >> 8; }

// During its lifetime, allocations of this thread are the shim's own.
class LibraryScope {
public:
    LibraryScope() : before_(thread_state.inside) { thread_state.inside = ThreadMode::library; }
    ~LibraryScope() { thread_state.inside = before_; }
    LibraryScope(const LibraryScope&) = delete;
    LibraryScope& operator=(const LibraryScope&) = delete;

private:
    ThreadMode before_;
};

// The position of a frame on its stack, in two bytes because static thread-local memory is scarce.
// Never 0.
inline uint16_t place_of(const void* frame) {
    return static_cast<uint16_t>(reinterpret_cast<uintptr_t>(frame) >> 4 | 1);
}

// True if a function with this frame was called by the GPU's driver. Stacks grow downwards. A frame
// that is not a little below the hook's is newer, and the thread left the driver by a jump.
inline bool is_inside_driver(const void* frame) {
    const uint16_t call = thread_state.driver_call;
    const auto below = static_cast<uint16_t>(call - place_of(frame));
    return call != 0 && below != 0 && below < 0x8000;
}

// During its lifetime, this thread is in the GPU's driver. `frame` is the hook's frame.
class DriverScope {
public:
    explicit DriverScope(const void* frame) { thread_state.driver_call = place_of(frame); }
    ~DriverScope() { thread_state.driver_call = 0; }
    DriverScope(const DriverScope&) = delete;
    DriverScope& operator=(const DriverScope&) = delete;
};

}  // namespace memtrace::preload
