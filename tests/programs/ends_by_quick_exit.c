// truth: allocations=2 frees=0 bytes=30 leaked_blocks=2 leaked_bytes=30
// run: exit=4
// quick_exit runs only handlers of its own kind.
#include "support.h"

static void* kept[2];

static void quickly(void) { kept[1] = malloc(20); }
static void never(void) { kept[0] = malloc(1000); }

int main(void) {
    CHECK(atexit(never) == 0 && at_quick_exit(quickly) == 0);
    kept[0] = malloc(10);
    quick_exit(4);
}
