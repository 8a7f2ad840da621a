// truth: allocations=9 frees=0 bytes=101+102+103+104+105+106+107+108+109 leaked_blocks=9 leaked_bytes=945
// run: manual
// Functions in assembly that no unwind table describes, in the shapes of hand-written kernels. All
// use rbp for something else or leave it alone, so nothing is found through it. Who calls them
// keeps a frame pointer, and needs it for its own caller.
#include "support.h"

typedef void Call(void (*callback)(void));

#define BEGIN(name) ".type " #name ", @function\n" #name ":\n"
#define END(name) ".size " #name ", . - " #name "\n"

__asm__(
    ".text\n"
    // Room for locals only.
    BEGIN(takes_room) "sub $24, %rsp\n call *%rdi\n add $24, %rsp\n ret\n" END(takes_room)
    // Saves registers, rbp among them, and uses it.
    BEGIN(saves_registers)
    "push %rbp\n push %rbx\n push %r12\n push %r15\n sub $0x128, %rsp\n xor %ebp, %ebp\n"
    "call *%rdi\n add $0x128, %rsp\n pop %r15\n pop %r12\n pop %rbx\n pop %rbp\n ret\n"
    END(saves_registers)
    // Aligns its stack for vectors, with rbp as the way back.
    BEGIN(aligns_stack)
    "push %rbp\n mov %rsp, %rbp\n and $-64, %rsp\n sub $192, %rsp\n call *%rdi\n"
    "mov %rbp, %rsp\n pop %rbp\n ret\n" END(aligns_stack)
    // Loops around the call, and returns in one of two places.
    BEGIN(loops)
    "push %r13\n push %rbp\n push %rbx\n mov $1, %ebx\n mov %rdi, %r13\n"
    "1: mov %ebx, %ebp\n call *%r13\n sub $1, %ebx\n jnz 1b\n test %ebp, %ebp\n jz 2f\n"
    "pop %rbx\n pop %rbp\n pop %r13\n ret\n"
    "2: jmp 3f\n ud2\n"
    "3: pop %rbx\n pop %rbp\n pop %r13\n ret\n" END(loops)
    // Leaves by a jump to another function.
    BEGIN(jumps_away) "push %rax\n call *%rdi\n pop %rcx\n jmp does_nothing\n" END(jumps_away)
    BEGIN(does_nothing) "ret\n" END(does_nothing)
    // Keeps rbp in memory, and moves the stack pointer by addresses.
    BEGIN(moves_by_address)
    "lea -0x48(%rsp), %rsp\n mov %rbp, 0x10(%rsp)\n mov $7, %ebp\n call *%rdi\n"
    "mov 0x10(%rsp), %rbp\n lea 0x48(%rsp), %rsp\n ret\n" END(moves_by_address)
    // Instructions of many lengths between the call and the return. Those of vectors are not run.
    BEGIN(has_long_instructions)
    "push %rbp\n movabs $0x1122334455667788, %rbp\n call *%rdi\n test %rbp, %rbp\n jnz 1f\n"
    "vmovups %zmm17, 0x1240(%rsp,%rax,8){%k1}\n vpshufd $0x4e, %ymm3, %ymm9\n"
    "vfmadd231ps 0x40(%r13), %ymm2, %ymm14\n movl $0x12345678, %fs:0x10(%rax,%rcx,4)\n"
    "1: lock cmpxchg16b (%rsp)\n pop %rbp\n ret\n" END(has_long_instructions)
    // A call that does not come back lies between.
    BEGIN(may_abort)
    "sub $8, %rsp\n call *%rdi\n cmp $0, %rsp\n jne 1f\n call abort@plt\n"
    "1: add $8, %rsp\n ret\n" END(may_abort)
    // Goes to its end through a table, as a switch does.
    BEGIN(jumps_by_table)
    "push %rbp\n push %rbx\n push %rax\n call *%rdi\n mov $1, %eax\n lea 1f(%rip), %rbp\n"
    "cmp $9, %eax\n ja 1f\n jmp *%rbp\n ud2\n"
    "1: pop %rcx\n pop %rbx\n pop %rbp\n ret\n" END(jumps_by_table));

// Of each shape: the bytes that it allocates, and its name.
#define FOR_EACH_SHAPE(DO)         \
    DO(101, takes_room)            \
    DO(102, saves_registers)       \
    DO(103, aligns_stack)          \
    DO(104, loops)                 \
    DO(105, jumps_away)            \
    DO(106, moves_by_address)      \
    DO(107, has_long_instructions) \
    DO(108, may_abort)             \
    DO(109, jumps_by_table)

static void* volatile kept;

#define DEFINE(size, shape)                                                                        \
    Call shape;                                                                                    \
    __attribute__((noinline)) static void allocate_##size(void) { kept = malloc(size); }           \
    __attribute__((noinline, optimize("no-omit-frame-pointer"))) static void call_##shape(int n) { \
        char* volatile room = __builtin_alloca((size_t)n);                                         \
        room[0] = 1;                                                                               \
        shape(allocate_##size);                                                                    \
        room[0] = 2;                                                                               \
    }
FOR_EACH_SHAPE(DEFINE)

int main(int count, char** arguments) {
    (void)arguments;
#define RUN(size, shape) call_##shape(100 * count);
    FOR_EACH_SHAPE(RUN)
    return 0;
}
