// A plugin with a constructor and a destructor that use the heap. It leaks one block per round.
#include "support.h"

static void *released, *leaked;

__attribute__((noinline)) void* plugin_a_block(void) { return malloc(70); }

__attribute__((constructor)) static void load(void) {
    released = malloc(300);
    leaked = malloc(11);
}
__attribute__((destructor)) static void unload(void) { free(released); }

void* plugin_block(void) {
    void* block = plugin_a_block();
    memset(block, 1, 70);
    return block;
}
