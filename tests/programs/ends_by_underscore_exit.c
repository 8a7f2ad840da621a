// truth: allocations=3 frees=1 bytes=60 leaked_blocks=2 leaked_bytes=30
// run: exit=3
// _exit runs no handler: everything up to it is in the dump.
#include "support.h"

static void* kept[2];

int main(void) {
    kept[0] = malloc(10);
    kept[1] = malloc(20);
    free(malloc(30));
    say("leaving\n");
    _exit(3);
}
