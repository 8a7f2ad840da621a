// truth: allocations=1 frees=0 bytes=100 leaked_blocks=1 leaked_bytes=100
// A realloc that fails leaves the block as it was, and sets errno as without memtrace.
#include "support.h"

int main(void) {
    static char* block;
    block = malloc(100);
    CHECK(block != NULL);
    block[99] = 3;
    volatile size_t too_much = (size_t)PTRDIFF_MAX - 4096;
    for (int i = 0; i < 10; ++i) {
        errno = 0;
        CHECK(realloc(block, too_much) == NULL && errno == ENOMEM);
        errno = 0;
        CHECK(realloc(NULL, too_much) == NULL && errno == ENOMEM);
    }
    CHECK(block[99] == 3);
    return 0;
}
