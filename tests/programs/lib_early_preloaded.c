// A library to preload: its constructor uses the heap before any other library is ready.
#include "support.h"

void* early_preloaded_kept;

__attribute__((constructor(101))) static void early(void) {
    early_preloaded_kept = malloc(1000);
    free(realloc(calloc(100, 1024), 204800));
    free(malloc(10));
}
