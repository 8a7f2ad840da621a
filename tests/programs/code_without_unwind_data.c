// truth: allocations=5 frees=0 bytes=11+22+33+44+55 leaked_blocks=5 leaked_bytes=165
// truth mmap: allocations=1 frees=1 bytes=4096 leaked_blocks=0 leaked_bytes=0
// Calls through code that no unwind table describes: with a frame pointer, without one, without one
// again at an address that belongs to no file, and with a stack pointer that comes from a register.
#include "support.h"

typedef void Call(void (*callback)(void));

Call keeps_frame_pointer;
Call clears_frame_pointer;
Call hides_stack_pointer;
extern const char clears_frame_pointer_end[];

// No .cfi_ directive, so the assembler makes no unwind data. All functions restore rbp.
__asm__(
    ".text\n"
    ".type keeps_frame_pointer, @function\n"
    "keeps_frame_pointer:\n"
    "  push %rbp\n"
    "  mov %rsp, %rbp\n"
    "  call *%rdi\n"
    "  pop %rbp\n"
    "  ret\n"
    ".size keeps_frame_pointer, . - keeps_frame_pointer\n"
    ".type clears_frame_pointer, @function\n"
    "clears_frame_pointer:\n"
    "  push %rbp\n"
    "  xor %ebp, %ebp\n"
    "  call *%rdi\n"
    "  pop %rbp\n"
    "  ret\n"
    "clears_frame_pointer_end:\n"
    ".size clears_frame_pointer, . - clears_frame_pointer\n"
    ".type hides_stack_pointer, @function\n"
    "hides_stack_pointer:\n"
    "  push %rbp\n"
    "  push %r12\n"
    "  mov %rsp, %r12\n"
    "  and $-64, %rsp\n"
    "  xor %ebp, %ebp\n"
    "  call *%rdi\n"
    "  mov %r12, %rsp\n"
    "  pop %r12\n"
    "  pop %rbp\n"
    "  ret\n"
    ".size hides_stack_pointer, . - hides_stack_pointer\n");

static void* volatile kept[5];

__attribute__((noinline)) static void allocate_11(void) { kept[0] = malloc(11); }
__attribute__((noinline)) static void allocate_22(void) { kept[1] = malloc(22); }
__attribute__((noinline)) static void allocate_33(void) { kept[2] = malloc(33); }
__attribute__((noinline)) static void allocate_55(void) { kept[4] = malloc(55); }

// What a compiler at run time would do; the code runs at any address.
__attribute__((noinline)) static void call_a_copy(void (*callback)(void)) {
    void* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED);
    memcpy(page, (const void*)clears_frame_pointer,
           (size_t)(clears_frame_pointer_end - (const char*)clears_frame_pointer));
    CHECK(mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0);
    ((Call*)page)(callback);
    CHECK(munmap(page, 4096) == 0);
}

int main(void) {
    keeps_frame_pointer(allocate_11);
    clears_frame_pointer(allocate_22);
    call_a_copy(allocate_33);
    kept[3] = malloc(44);
    hides_stack_pointer(allocate_55);
    return 0;
}
