// truth: allocations=1000 frees=999 bytes=1000*8 leaked_blocks=1 leaked_bytes=8
// A hundred thousand frames: the stack is cut and marked as cut, and the program does not notice.
#include "support.h"

static void* block;

__attribute__((noinline)) static int dive(int depth) {
    if (depth % 100 == 0) {
        free(block);
        block = malloc(8);
    }
    const int below = depth ? dive(depth - 1) : 0;
    __asm__ volatile("" : : : "memory");
    return below + 1;
}

int main(void) {
    CHECK(dive(99999) == 100000);
    return 0;
}
