// truth: allocations=20 frees=20 bytes=20*100 leaked_blocks=0 leaked_bytes=0
// In glibc realloc(p, 0) frees p and returns NULL: a release and nothing else.
#include "support.h"

int main(void) {
    volatile size_t zero = 0;
    for (int i = 0; i < 10; ++i) {
        CHECK(realloc(malloc(100), zero) == NULL);
        CHECK(reallocarray(malloc(100), zero, 8) == NULL);
    }
    return 0;
}
