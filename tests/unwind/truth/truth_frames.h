// SPDX-License-Identifier: Apache-2.0
//
// Frames of exact size and shape, in assembly. They are like a compiler's, but exact to the byte,
// so a story can put two of them at the very same place.
//
// Linked Steps define the calls. Each function stores its return address, and calls the next one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace truth {

struct Step {
    void (*run)(Step*) = nullptr;
    uint64_t bytes = 0;  // Allocated by the functions that allocate.
    Step* next = nullptr;
    void* return_address = nullptr;
    uint64_t* return_slot = nullptr;  // The place of that address on the stack.
    Step* outer = nullptr;            // The caller's step.
    void (*before)(Step*) = nullptr;  // For see(): called before it looks.
    const void* frame = nullptr;      // For see(): its own frame.
};
static_assert(offsetof(Step, bytes) == 8 && offsetof(Step, next) == 16 &&
              offsetof(Step, return_address) == 24 && offsetof(Step, return_slot) == 32);

// The first calls the second, and so on.
void link(std::initializer_list<Step*> steps);

// The innermost step: compares the stack with the linked steps.
void see(Step* step);

extern "C" {
void truth_frame_plain(Step*);        // CFA = rsp + 16
void truth_frame_three_pages(Step*);  // CFA = rsp + 12304
void truth_frame_saves_rbp(Step*);    // CFA = rsp + 16, and rbp is used for something else
void truth_frame_alloca(Step*);       // CFA = rbp + 16, `bytes` between rsp and rbp
void truth_frame_realigned(Step*);    // CFA = *(rbp - 8), rsp a multiple of 64 before
void truth_frame_rbx(Step*);          // CFA = rbx + 16, `bytes` between
void truth_frame_elsewhere(Step*);    // CFA = rbp + 16; the next one's stack begins at `bytes`

// Calls each of them from a place of its own, with the same rsp, a multiple of 64, and writes
// nothing to the stack in between. CFA = rbp + 16.
void truth_three_sites(Step* self, Step* first, Step* second, Step* third);

// The same from one place.
void truth_one_site(Step* self, Step* first, Step* second, Step* third);

// Returns at once.
void truth_nothing(Step*);
}

}  // namespace truth
