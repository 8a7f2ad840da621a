// truth: allocations=102 frees=101 bytes=100*20+30+50 leaked_blocks=1 leaked_bytes=50
// run: oracle=no after=lib_bump_allocator
// LD_PRELOAD="libmemtrace.so lib_bump_allocator.so": blocks come from the other allocator, and are
// counted.
#include "support.h"

extern unsigned long bump_calls __attribute__((weak));
static void* kept;

int main(void) {
    for (int i = 0; i < 100; ++i) free(malloc(20));
    kept = realloc(malloc(30), 50);
    CHECK(&bump_calls && bump_calls >= 102);  // memtrace called the next one, not around it
    return 0;
}
