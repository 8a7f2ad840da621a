// SPDX-License-Identifier: Apache-2.0
//
// A library of one function, a Step of truth_frames.h. It is built twice; the two libraries differ
// only in the size of the function's frame.
#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

asm(R"(
    .text
    .globl truth_plugin
    .type truth_plugin, @function
truth_plugin:
    .cfi_startproc
    mov (%rsp), %rax
    mov %rax, 24(%rdi)
    mov %rsp, 32(%rdi)
    sub $)" TEXT(FRAME_BYTES) R"(, %rsp
    .cfi_def_cfa_offset 8 + )" TEXT(FRAME_BYTES) R"(
    mov 16(%rdi), %rdi
    call *(%rdi)
    add $)" TEXT(FRAME_BYTES) R"(, %rsp
    .cfi_def_cfa_offset 8
    ret
    .cfi_endproc
    .size truth_plugin, . - truth_plugin
)");
