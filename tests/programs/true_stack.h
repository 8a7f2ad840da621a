// A program that keeps its own call stack: every function stores its return address on entry.
//
// The stacks are written to a file, a line for each allocation that is requested:
//
//   SIZE ADDRESS ADDRESS …    the block's size, and the return addresses of the function that
//                             allocated it and of those outside it, up to main's
//
// The instruction that allocated is the compiler's choice, so the innermost frame is not in the
// line.
#pragma once

#include <stdio.h>

#include "support.h"

struct TrueStack {
    void* returns_to[1024];
    unsigned depth;
};

inline thread_local TrueStack true_stack;
inline FILE* truth_file;

// One function on the stack, while the object lives.
class TrueCall {
public:
    __attribute__((always_inline)) explicit TrueCall(void* return_address) {
        true_stack.returns_to[true_stack.depth++] = return_address;
    }
    __attribute__((always_inline)) ~TrueCall() { true_stack.depth -= 1; }
    TrueCall(const TrueCall&) = delete;
    TrueCall& operator=(const TrueCall&) = delete;
};

#define TRUE_CALL() const TrueCall true_call(__builtin_return_address(0))

inline void write_truth(size_t size) {
    if (truth_file == nullptr) return;
    fprintf(truth_file, "%zu", size);
    for (unsigned i = true_stack.depth; i-- > 0;) {
        fprintf(truth_file, " %p", true_stack.returns_to[i]);
    }
    fprintf(truth_file, "\n");
}
