// SPDX-License-Identifier: Apache-2.0
#include "tests/unwind/truth/truth_frames.h"

#include "tests/unwind/truth/truth.h"

namespace truth {

void link(std::initializer_list<Step*> steps) {
    Step* outer = nullptr;
    for (Step* step : steps) {
        step->outer = outer;
        if (outer != nullptr) outer->next = step;
        outer = step;
    }
}

TRUTH_SHAPE void see(Step* step) {
    step->frame = __builtin_frame_address(0);
    if (step->before != nullptr) step->before(step);
    Calls& calls = *current->calls;
    const unsigned depth = calls.depth;
    unsigned count = 0;
    for (const Step* outer = step->outer; outer != nullptr; outer = outer->outer) ++count;
    unsigned place = depth + count;
    calls.depth = place;
    for (const Step* outer = step->outer; outer != nullptr; outer = outer->outer) {
        calls.returns_to[--place] = outer->return_address;
    }
    compare(__builtin_frame_address(0), __builtin_return_address(0));
    calls.depth = depth;
}

}  // namespace truth

// Every function first stores its return address and the place of that on the stack, and calls the
// next step with rsp a multiple of 16.
asm(R"(
    .text
    .macro truth_function name
    .globl \name
    .type \name, @function
\name:
    .cfi_startproc
    .endm

    .macro truth_end name
    .cfi_endproc
    .size \name, . - \name
    .endm

    .macro truth_write_down
    mov (%rsp), %rax
    mov %rax, 24(%rdi)
    mov %rsp, 32(%rdi)
    .endm

    .macro truth_call_next
    mov 16(%rdi), %rdi
    call *(%rdi)
    .endm

    # The first of the steps to call is in rdi, the others in rbx and r12.
    .macro truth_begin_sites
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    push %rbx
    push %r12
    .cfi_offset %rbx, -24
    .cfi_offset %r12, -32
    and $-64, %rsp
    mov %rdx, %rbx
    mov %rcx, %r12
    mov %rsi, %rdi
    .endm

    .macro truth_end_sites
    lea -16(%rbp), %rsp
    pop %r12
    pop %rbx
    pop %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .endm

    truth_function truth_frame_plain
    truth_write_down
    sub $8, %rsp
    .cfi_def_cfa_offset 16
    truth_call_next
    add $8, %rsp
    .cfi_def_cfa_offset 8
    ret
    truth_end truth_frame_plain

    truth_function truth_frame_three_pages
    truth_write_down
    sub $12296, %rsp
    .cfi_def_cfa_offset 12304
    truth_call_next
    add $12296, %rsp
    .cfi_def_cfa_offset 8
    ret
    truth_end truth_frame_three_pages

    truth_function truth_frame_saves_rbp
    truth_write_down
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    lea 1(%rdi), %rbp
    truth_call_next
    pop %rbp
    .cfi_restore %rbp
    .cfi_def_cfa_offset 8
    ret
    truth_end truth_frame_saves_rbp

    truth_function truth_frame_alloca
    truth_write_down
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub 8(%rdi), %rsp
    truth_call_next
    leave
    .cfi_def_cfa %rsp, 8
    ret
    truth_end truth_frame_alloca

    # As compilers write it: r10 holds the CFA until it has a place in the frame.
    truth_function truth_frame_realigned
    truth_write_down
    lea 8(%rsp), %r10
    .cfi_def_cfa %r10, 0
    and $-64, %rsp
    push -8(%r10)
    push %rbp
    mov %rsp, %rbp
    .cfi_escape 0x10, 6, 2, 0x76, 0
    push %r10
    .cfi_escape 0x0f, 3, 0x76, 0x78, 0x06
    sub $8, %rsp
    truth_call_next
    mov -8(%rbp), %r10
    .cfi_def_cfa %r10, 0
    leave
    .cfi_restore %rbp
    lea -8(%r10), %rsp
    .cfi_def_cfa %rsp, 8
    ret
    truth_end truth_frame_realigned

    truth_function truth_frame_rbx
    truth_write_down
    push %rbx
    .cfi_def_cfa_offset 16
    .cfi_offset %rbx, -16
    mov %rsp, %rbx
    .cfi_def_cfa_register %rbx
    sub 8(%rdi), %rsp
    truth_call_next
    mov %rbx, %rsp
    .cfi_def_cfa_register %rsp
    pop %rbx
    .cfi_restore %rbx
    .cfi_def_cfa_offset 8
    ret
    truth_end truth_frame_rbx

    truth_function truth_frame_elsewhere
    truth_write_down
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    mov 8(%rdi), %rsp
    truth_call_next
    leave
    .cfi_def_cfa %rsp, 8
    ret
    truth_end truth_frame_elsewhere

    truth_function truth_three_sites
    truth_write_down
    truth_begin_sites
    call *(%rdi)
    mov %rbx, %rdi
    call *(%rdi)
    mov %r12, %rdi
    call *(%rdi)
    truth_end_sites
    truth_end truth_three_sites

    truth_function truth_one_site
    truth_write_down
    truth_begin_sites
1:  call *(%rdi)
    mov %rbx, %rdi
    mov %r12, %rbx
    xor %r12d, %r12d
    test %rdi, %rdi
    jnz 1b
    truth_end_sites
    truth_end truth_one_site

    truth_function truth_nothing
    ret
    truth_end truth_nothing
)");
