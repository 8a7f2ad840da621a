// truth: allocations=1001 frees=1000 bytes=1001*40 leaked_blocks=1 leaked_bytes=40
// Frames that longjmp leaves behind never return: remembered stacks must not trust them.
#include <setjmp.h>

#include "support.h"

static jmp_buf back;
static void* block;

__attribute__((noinline)) static void dive(int depth) {
    if (depth == 0) {
        block = malloc(40);
        longjmp(back, 1);
    }
    dive(depth - 1);
    __asm__ volatile("");
}

int main(void) {
    for (volatile int i = 0; i < 1001; ++i) {
        if (setjmp(back) == 0) dive(i % 50);
        if (i < 1000) free(block);
    }
    return 0;
}
