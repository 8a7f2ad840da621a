// SPDX-License-Identifier: Apache-2.0
//
// Programs that know their own call stack, to compare the unwinder with.
//
// Every function stores its return address on entry (a Call, which lasts as long as the function).
// check() walks the stack twice: once with the thread's long-lived walker, whose memo is under
// test, and once with a walker that remembers nothing. The pcs must be the stored ones, and both
// walks must agree on all frames, including those of libc outside main. A cached stack that is
// found must agree as well.
#pragma once

#include <cstdint>

#include "preload/unwind/stack_walker.h"
#include "tests/unwind/truth/truth_recognise.h"

// A function with a frame of its own, which the compiler may neither inline nor split.
#if defined(__clang__)
#define TRUTH_SHAPE __attribute__((noinline))
#else
#define TRUTH_SHAPE __attribute__((noipa))
#endif

// The compiler must assume that `object` is used here, and all memory as well.
#define TRUTH_USE(object) asm volatile("" : : "r"(object) : "memory")

namespace truth {

namespace preload = memtrace::preload;

inline constexpr uint32_t depth_max = 1024;

// The calls on one stack, outermost first.
struct Calls {
    static constexpr unsigned calls_max = 8192;

    void* returns_to[calls_max];
    unsigned depth = 0;
    void* tail = nullptr;   // The return address of a function that may end in a call.
    bool is_rooted = true;  // True if the walk must end at a function without a caller.

    void push(void* address) { returns_to[depth++] = address; }
};

// In place of an address: some frames about which nothing is known.
inline void* const interrupted = reinterpret_cast<void*>(1);   // A signal came.
inline void* const some_library = reinterpret_cast<void*>(2);  // Code that keeps no truth.

struct Thread {
    preload::StackWalker walker;
    preload::StackWalker fresh;
    Recogniser recogniser;
    Calls own;
    Calls* calls = &own;  // Of the stack that it runs on.
    uint64_t seed = 0;
    const char* story = "";
};

// Constant initialisation and no destructor: it exists until the thread's last instruction.
extern constinit thread_local Thread* current;

// Called by a thread that begins.
void begin_thread(const char* story, uint64_t seed);

// One function on the stack, while the object lives.
class Call {
public:
    __attribute__((always_inline)) explicit Call(void* return_address)
        : calls_(current->calls), depth_(calls_->depth) {
        // The compiler decides whether the call before this one replaced its caller. If it did,
        // both return to the same place.
        void* const tail = calls_->tail;
        calls_->tail = nullptr;
        if (tail != nullptr && tail != return_address) calls_->push(tail);
        calls_->push(return_address);
    }
    __attribute__((always_inline)) ~Call() { calls_->depth = depth_; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

private:
    Calls* calls_;
    unsigned depth_;
};

// Compares the stack of the caller.
void check(uint32_t depth = depth_max);

// The same for a function that has the frame pointer `frame` and returns to `return_address`. The
// function itself must not be among the calls.
void compare(const void* frame, void* return_address, uint32_t depth = depth_max);

// Reports a story that was not set up as intended: the test would show nothing.
void expect(bool condition, const char* what);

// Returns the result so far as the exit code of a program: 0, 1 for a wrong stack, 2 for a story
// that did not happen. Prints how much was compared.
int result();

}  // namespace truth
