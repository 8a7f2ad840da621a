// Like plugin a, at the address that a had before: code that remembers addresses too long mixes
// them up.
#include "support.h"

static void *released, *leaked;

__attribute__((noinline)) void* plugin_b_block(void) { return malloc(80); }

__attribute__((constructor)) static void load(void) {
    released = malloc(400);
    leaked = malloc(12);
}
__attribute__((destructor)) static void unload(void) { free(released); }

void* plugin_block(void) {
    void* block = plugin_b_block();
    memset(block, 1, 80);
    return block;
}
