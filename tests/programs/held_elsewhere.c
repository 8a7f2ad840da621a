// truth: allocations=8 frees=0 bytes=5077 leaked_blocks=8 leaked_bytes=5077
// truth mmap: allocations=2 frees=0 bytes=1179648 leaked_blocks=2 leaked_bytes=1179648
// Blocks that only shared memory holds, or suspended coroutines, one of which calls exit(). One
// block is lost.
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define ALONE __attribute__((noinline, noclone))
#define SHARED_BYTES (1 << 20)
#define STACK_BYTES (1 << 16)

static ucontext_t main_context, coroutines[2];
static void** volatile shared;

ALONE static void held_by_shared_memory(void) {
    shared = mmap(NULL, SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 3; ++i) shared[100 + i] = malloc(1000);
}

ALONE static void really_lost(void) {
    void* volatile block = malloc(77);
    block = NULL;
}

// What earlier calls left on this stack would hold the lost block.
ALONE static void wipe_stack(void) {
    char volatile area[4096];
    for (size_t i = 0; i < sizeof area; ++i) area[i] = 0;
}

ALONE static void hold(int number) {
    void* volatile blocks[2] = {malloc(500), malloc(500)};
    swapcontext(&coroutines[number], &main_context);
    if (number == 1 && blocks[0] != NULL) exit(0);
    swapcontext(&coroutines[number], &main_context);
}

int main(void) {
    held_by_shared_memory();
    char* const stacks =
        mmap(NULL, 2 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < 2; ++i) {
        getcontext(&coroutines[i]);
        coroutines[i].uc_stack.ss_sp = stacks + i * STACK_BYTES;
        coroutines[i].uc_stack.ss_size = STACK_BYTES;
        coroutines[i].uc_link = &main_context;
        makecontext(&coroutines[i], (void (*)(void))hold, 1, i);
        swapcontext(&main_context, &coroutines[i]);
    }
    really_lost();
    wipe_stack();
    swapcontext(&main_context, &coroutines[1]);
}
