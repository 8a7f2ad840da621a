// truth: allocations=0 frees=0 bytes=0 leaked_blocks=0 leaked_bytes=0
// run: oracle=no not_covered=malloc
// A program with its own malloc: memtrace cannot see it, and must report so.
#include "support.h"

static char area[1 << 20] __attribute__((aligned(16)));
static size_t used;

void* malloc(size_t size) {
    const size_t whole = (size + 31) & ~(size_t)15;
    const size_t begin = __atomic_fetch_add(&used, whole, __ATOMIC_RELAXED);
    if (begin + whole > sizeof area) return NULL;
    *(size_t*)(area + begin) = size;
    return area + begin + 16;
}
void free(void* block) { (void)block; }
void* calloc(size_t n, size_t size) { return malloc(n * size); }
void* realloc(void* block, size_t size) {
    void* moved = malloc(size);
    const size_t old = block ? ((size_t*)block)[-2] : 0;
    if (block && moved) memcpy(moved, block, size < old ? size : old);
    return moved;
}

int main(void) {
    char* block = malloc(100);
    block[99] = 1;
    CHECK((block = realloc(block, 200)) != NULL && block[99] == 1);
    free(block);
    say("done\n");
    return 0;
}
