// SPDX-License-Identifier: Apache-2.0
//
// Coroutines that share one stack. The part of the stack of a pausing coroutine is copied away, and
// copied back to the same addresses when it continues. So the same words mean another stack each
// time, and frames come back that no call has made.
#include <alloca.h>

#include <cstddef>
#include <cstring>

#include "tests/unwind/truth/truth.h"
#include "tests/unwind/truth/truth_stories.h"

namespace truth {
namespace {

struct Slice {
    uint64_t home_sp = 0;  // The scheduler's rsp: the slice lies below.
    uint64_t own_sp = 0;   // The slice's lower end when it paused; 0: it has not begun.
    void (*body)(Slice*) = nullptr;
    uint64_t is_over = 0;
    void* entered_from = nullptr;

    static constexpr unsigned bytes_max = 64 << 10;
    static constexpr unsigned calls_max = 64;
    char words[bytes_max];
    void* calls[calls_max];
    unsigned call_count = 0;
    unsigned base = 0;  // Number of calls outside it.
    unsigned number = 0;
};
static_assert(offsetof(Slice, own_sp) == 8 && offsetof(Slice, body) == 16 &&
              offsetof(Slice, is_over) == 24 && offsetof(Slice, entered_from) == 32);

}  // namespace

extern "C" {
// Continues a slice, until it pauses or is over.
void truth_enter_slice(Slice*);
// Called from inside.
void truth_leave_slice(Slice*);

__attribute__((used)) void truth_copy_out(Slice* slice) {
    const uint64_t bytes = slice->home_sp - slice->own_sp;
    expect(bytes <= Slice::bytes_max, "the slice is too large");
    if (bytes > Slice::bytes_max) __builtin_trap();
    std::memcpy(slice->words, reinterpret_cast<const void*>(slice->own_sp), bytes);
}

__attribute__((used)) void truth_copy_in(Slice* slice) {
    std::memcpy(reinterpret_cast<void*>(slice->own_sp), slice->words,
                slice->home_sp - slice->own_sp);
}
}

namespace {

void pause(Slice* slice) {
    Calls& calls = *current->calls;
    slice->call_count = calls.depth - slice->base;
    if (slice->call_count > Slice::calls_max) __builtin_trap();
    std::memcpy(slice->calls, calls.returns_to + slice->base, slice->call_count * sizeof(void*));
    truth_leave_slice(slice);
    // The scheduler may have continued it from another place.
    slice->calls[0] = slice->entered_from;
    std::memcpy(calls.returns_to + slice->base, slice->calls, slice->call_count * sizeof(void*));
    calls.depth = slice->base + slice->call_count;
}

TRUTH_SHAPE int go_down(Slice* slice, unsigned depth) {
    const Call call(__builtin_return_address(0));
    void* room = alloca(16 * (1 + (depth + slice->number) % 3));
    TRUTH_USE(room);
    check();
    pause(slice);
    check();
    int sum = 0;
    if (depth > 0) sum = go_down(slice, depth - 1);
    TRUTH_USE(room);
    check();
    if (depth % 2 == 0) pause(slice);
    check();
    return sum + 1;
}

TRUTH_SHAPE void live_in_slice(Slice* slice) {
    const Call outer(slice->entered_from);
    const Call call(__builtin_return_address(0));
    go_down(slice, 3 + slice->number * 4);
    check();
}

TRUTH_SHAPE void slices_of_one_stack() {
    const Call call(__builtin_return_address(0));
    current->story = __func__;
    constexpr unsigned slices_max = 3;
    static Slice slices[slices_max];
    uint64_t home_sp = 0;
    bool is_one_place = true;
    unsigned over = 0;
    for (unsigned i = 0; i < slices_max; ++i) {
        slices[i] = {};
        slices[i].body = live_in_slice;
        slices[i].base = current->calls->depth;
        slices[i].number = i;
    }
    for (unsigned turn = 0; over < slices_max; ++turn) {
        Slice& slice = slices[turn % slices_max];
        if (slice.is_over != 0) continue;
        // Two places, so the frames outside the slice are not always the same.
        if (turn % 5 < 2) {
            truth_enter_slice(&slice);
        } else {
            asm volatile("nop");  // Otherwise the compiler makes one call of the two.
            truth_enter_slice(&slice);
        }
        current->calls->depth = slice.base;
        over += slice.is_over != 0;
        if (home_sp == 0) home_sp = slice.home_sp;
        is_one_place = is_one_place && slice.home_sp == home_sp;
        check();
    }
    expect(is_one_place, "the slices are not at one place");
}

}  // namespace

TRUTH_SHAPE void tell_stories_of_slices() {
    const Call call(__builtin_return_address(0));
    slices_of_one_stack();
    slices_of_one_stack();
}

}  // namespace truth

// The scheduler's rsp is the same at each call, so a slice comes back to where it was.
asm(R"(
    .text
    .globl truth_enter_slice
    .type truth_enter_slice, @function
truth_enter_slice:
    .cfi_startproc
    mov (%rsp), %rax
    mov %rax, 32(%rdi)
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    push %rbx
    .cfi_def_cfa_offset 24
    .cfi_offset %rbx, -24
    push %r12
    .cfi_def_cfa_offset 32
    .cfi_offset %r12, -32
    push %r13
    .cfi_def_cfa_offset 40
    .cfi_offset %r13, -40
    push %r14
    .cfi_def_cfa_offset 48
    .cfi_offset %r14, -48
    push %r15
    .cfi_def_cfa_offset 56
    .cfi_offset %r15, -56
    sub $8, %rsp
    .cfi_def_cfa_offset 64
    mov %rsp, (%rdi)
    mov %rdi, %rbx
    cmpq $0, 8(%rdi)
    jne 1f
    call *16(%rdi)
    movq $1, 24(%rbx)
    jmp 2f
1:  # Below the slice, while its words come back. Nobody looks at the stack meanwhile.
    mov 8(%rdi), %rsp
    call truth_copy_in
    mov 8(%rbx), %rsp
2:  add $8, %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    ret
    .cfi_endproc
    .size truth_enter_slice, . - truth_enter_slice

    .globl truth_leave_slice
    .type truth_leave_slice, @function
truth_leave_slice:
    .cfi_startproc
    push %rbp
    push %rbx
    push %r12
    push %r13
    push %r14
    push %r15
    sub $8, %rsp
    mov %rsp, 8(%rdi)
    mov %rdi, %rbx
    call truth_copy_out
    mov (%rbx), %rsp
    jmp 2b
    .cfi_endproc
    .size truth_leave_slice, . - truth_leave_slice
)");
