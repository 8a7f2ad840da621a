// truth: allocations=1 frees=0 bytes=24 leaked_blocks=1 leaked_bytes=24
// run: signal=11 end=unknown
// A crash stays the program's own crash.
#include "support.h"

static void* kept;

int main(void) {
    kept = malloc(24);
    *(volatile int*)8 = 1;
    return 0;
}
