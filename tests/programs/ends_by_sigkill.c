// truth: allocations=100000 frees=99999 bytes=100000*24 leaked_blocks=1 leaked_bytes=24
// run: signal=9 end=unknown
// SIGKILL leaves no time for anything, and nothing is needed.
#include "support.h"

static void* kept;

int main(void) {
    for (int i = 0; i < 100000; ++i) {
        free(kept);
        kept = malloc(24);
    }
    kill(getpid(), SIGKILL);
    return 0;
}
