// truth: allocations=3 frees=2 bytes=10+20+0 leaked_blocks=1 leaked_bytes=0
// realloc(NULL, n) is malloc(n), also for n = 0.
#include "support.h"

int main(void) {
    void* block = realloc(NULL, 10);
    CHECK(block != NULL);
    free(block);
    CHECK((block = reallocarray(NULL, 4, 5)) != NULL);
    free(block);
    static void* nothing;
    CHECK((nothing = realloc(NULL, 0)) != NULL);
    return 0;
}
