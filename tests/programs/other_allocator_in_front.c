// truth: allocations=0 frees=0 bytes=0 leaked_blocks=0 leaked_bytes=0
// run: oracle=no before=lib_bump_allocator not_covered=malloc
// LD_PRELOAD="lib_bump_allocator.so libmemtrace.so": no call reaches memtrace, and it reports so.
#include "support.h"

static void* kept;

int main(void) {
    for (int i = 0; i < 100; ++i) free(malloc(20));
    kept = malloc(30);
    CHECK(kept != NULL);
    return 0;
}
