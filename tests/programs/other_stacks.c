// truth: allocations=996+8+1 frees=992+8 bytes=1004*40+24 leaked_blocks=5 leaked_bytes=4*40+24
// makecontext: code that runs on stacks which no thread started with.
#include <ucontext.h>

#include "support.h"

static ucontext_t home, fibers[4];
static char stacks[4][65536];
static void* kept;
static int turns;

static void fiber(int self) {
    for (;;) {
        void* block = malloc(40);
        turns += 1;
        swapcontext(&fibers[self], &home);
        free(block);
    }
}

int main(void) {
    for (int i = 0; i < 4; ++i) {
        CHECK(getcontext(&fibers[i]) == 0);
        fibers[i].uc_stack.ss_sp = stacks[i];
        fibers[i].uc_stack.ss_size = sizeof stacks[i];
        makecontext(&fibers[i], (void (*)(void))fiber, 1, i);
    }
    for (int i = 0; i < 996; ++i) CHECK(swapcontext(&home, &fibers[i % 4]) == 0);
    CHECK(turns == 996);
    for (int i = 0; i < 8; ++i) free(malloc(40));
    kept = malloc(24);
    return 0;
}
