// truth: allocations=1 frees=0 bytes=10 leaked_blocks=1 leaked_bytes=10
// run: not_covered=jemalloc
// An allocator under names of its own, as jemalloc is often linked in: not covered, and named.
#include "support.h"

static char area[1 << 20] __attribute__((aligned(16)));
static size_t used;

__attribute__((noinline)) void* je_malloc(size_t size) {
    const size_t begin = used;
    used += (size + 15) & ~(size_t)15;
    return area + begin;
}
__attribute__((noinline)) void je_free(void* block) { (void)block; }
__attribute__((noinline)) void* je_calloc(size_t n, size_t size) { return je_malloc(n * size); }
__attribute__((noinline)) void* je_realloc(void* block, size_t size) {
    (void)block;
    return je_malloc(size);
}

static void* kept;

int main(void) {
    for (int i = 0; i < 100; ++i) je_free(je_realloc(je_calloc(1, 10), 100));
    kept = malloc(10);
    say("done\n");
    return 0;
}
