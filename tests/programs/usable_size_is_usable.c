// truth: allocations=6000 frees=6000 bytes=6*500500 leaked_blocks=0 leaked_bytes=0
// Programs write up to the last byte that malloc_usable_size reports: memtrace keeps nothing there.
#include "support.h"

static void fill(void** blocks) {
    for (int i = 0; i < 1000; ++i) {
        CHECK(blocks[i] != NULL);
        memset(blocks[i], 0xa5, malloc_usable_size(blocks[i]));
    }
    for (int i = 0; i < 1000; ++i) {
        const unsigned char* bytes = blocks[i];
        for (size_t k = 0; k < malloc_usable_size(blocks[i]); ++k) CHECK(bytes[k] == 0xa5);
        free(blocks[i]);
    }
}

int main(void) {
    static void* blocks[1000];
    for (size_t i = 0; i < 1000; ++i) blocks[i] = malloc(i + 1);
    fill(blocks);
    for (size_t i = 0; i < 1000; ++i) blocks[i] = calloc(1, i + 1);
    fill(blocks);
    for (size_t i = 0; i < 1000; ++i) blocks[i] = memalign(64, i + 1);
    fill(blocks);
    for (size_t i = 0; i < 1000; ++i) blocks[i] = aligned_alloc(32, i + 1);
    fill(blocks);
    for (size_t i = 0; i < 1000; ++i) CHECK(posix_memalign(&blocks[i], 128, i + 1) == 0);
    fill(blocks);
    for (size_t i = 0; i < 1000; ++i) blocks[i] = realloc(NULL, i + 1);
    fill(blocks);
    return 0;
}
