// truth: allocations=13 frees=13 bytes=12*100+200 leaked_blocks=0 leaked_bytes=0
// run: stderr=free
// Calls each heap function of apis.def; both resizes count as one release and one acquisition.
#include "support.h"

// Not in every C library. The shim exports them, so they exist under memtrace.
extern void free_sized(void*, size_t) __attribute__((weak));
extern void free_aligned_sized(void*, size_t, size_t) __attribute__((weak));
extern void cfree(void*) __attribute__((weak));

static void absent(const char* name) {
    put(2, "not in this C library, plain free() called instead: ");
    put(2, name);
    put(2, "\n");
}

int main(void) {
    void* blocks[11];
    blocks[0] = malloc(100);
    blocks[1] = calloc(10, 10);
    blocks[2] = realloc(malloc(100), 200);
    blocks[3] = reallocarray(malloc(100), 10, 10);
    CHECK(posix_memalign(&blocks[4], 64, 100) == 0);
    blocks[5] = aligned_alloc(64, 100);
    blocks[6] = memalign(64, 100);
    blocks[7] = valloc(100);
    blocks[8] = pvalloc(100);
    blocks[9] = malloc(100);
    blocks[10] = malloc(100);
    for (int i = 0; i < 11; ++i) CHECK(blocks[i] != NULL);

    if (free_sized) free_sized(blocks[0], 100);
    else absent("free_sized"), free(blocks[0]);
    if (free_aligned_sized) free_aligned_sized(blocks[5], 64, 100);
    else absent("free_aligned_sized"), free(blocks[5]);
    if (cfree) cfree(blocks[10]);
    else absent("cfree"), free(blocks[10]);
    for (int i = 1; i < 10; ++i) {
        if (i != 5) free(blocks[i]);
    }
    free(NULL);  // takes nothing, so nothing is counted
    return 0;
}
