// SPDX-License-Identifier: Apache-2.0
//
// Programs that know their own call stack, to hold the unwinder against.
//
// Every function says on entry where it will return to (a Call, which lasts as long as the
// function). check() walks the stack twice, once with the thread's long-lived walker, whose memo is
// the thing under test, and once with a walker that remembers nothing. The pcs must be what the
// functions said, and both walks must agree on all frames, those of libc outside of main included.
// So must what is known by a cached stack.
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
    void* tail = nullptr;   // What a function returns to that is about to end in a call.
    bool is_rooted = true;  // Whether the walk has to end at a function that nobody called.

    void push(void* address) { returns_to[depth++] = address; }
};

// In the place of an address: some frames of which nothing is known.
inline void* const interrupted = reinterpret_cast<void*>(1);   // A signal came.
inline void* const some_library = reinterpret_cast<void*>(2);  // Code that keeps no truth.

struct Thread {
    preload::StackWalker walker;
    preload::StackWalker fresh;
    Recogniser recogniser;
    Calls own;
    Calls* calls = &own;  // Of the stack that it is on.
    uint64_t seed = 0;
    const char* story = "";
};

// Constant initialisation and no destructor: it is there until the thread's last instruction.
extern constinit thread_local Thread* current;

// For a thread that begins.
void begin_thread(const char* story, uint64_t seed);

// One function on the stack, while the object lives.
class Call {
public:
    __attribute__((always_inline)) explicit Call(void* return_address)
        : calls_(current->calls), depth_(calls_->depth) {
        // Whether the call before this one replaced its caller is the compiler's choice. If it did,
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

// A story's stage was not set as it says: the test would show nothing.
void expect(bool condition, const char* what);

// How it went so far, as the exit code of a program: 0, 1 for a wrong stack, 2 for a story that did
// not happen. Says how much was compared.
int result();

}  // namespace truth
