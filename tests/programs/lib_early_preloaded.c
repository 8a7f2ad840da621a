// To be preloaded: a constructor that uses the heap before anybody else is ready.
#include "support.h"

void* early_preloaded_kept;

__attribute__((constructor(101))) static void early(void) {
    early_preloaded_kept = malloc(1000);
    free(realloc(calloc(100, 1024), 204800));
    free(malloc(10));
}
