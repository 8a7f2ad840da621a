// truth: allocations=2 frees=1 bytes=100+200 leaked_blocks=1 leaked_bytes=200
// A product that does not fit fails with ENOMEM and leaves the block alone.
#include "support.h"

int main(void) {
    static void* block;
    block = malloc(100);
    volatile size_t half = SIZE_MAX / 2;
    errno = 0;
    CHECK(reallocarray(block, half, 3) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(calloc(half, 3) == NULL && errno == ENOMEM);
    CHECK((block = reallocarray(block, 20, 10)) != NULL);
    return 0;
}
