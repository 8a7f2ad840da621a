// truth: allocations=2 frees=1 bytes=30 leaked_blocks=1 leaked_bytes=20
// run: signal=6
// abort: the program dies of SIGABRT as always, and the dump has everything.
#include "support.h"

static void* kept;

int main(void) {
    free(malloc(10));
    kept = malloc(20);
    say("aborting\n");
    abort();
}
