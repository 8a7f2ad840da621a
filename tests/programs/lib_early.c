// A library with a constructor and a destructor that use the heap; the destructor runs after main
// and atexit.
#include "support.h"

void* early_kept;
static void *early_grown, *late;

__attribute__((constructor(101))) static void early(void) {
    early_kept = malloc(1000);
    early_grown = realloc(calloc(100, 1024), 204800);
    memset(early_grown, 1, 204800);
    free(malloc(10));
}

__attribute__((destructor(101))) static void very_late(void) {
    free(early_grown);
    late = malloc(33);
    late = realloc(late, 44);
}
