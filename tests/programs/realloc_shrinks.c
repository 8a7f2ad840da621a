// truth: allocations=200 frees=199 bytes=100*(1000+10) leaked_blocks=1 leaked_bytes=10
// Shrinking keeps the address: one release of the old size, one acquisition of the new.
#include "support.h"

int main(void) {
    static char* block;
    for (int i = 0; i < 100; ++i) {
        free(block);
        CHECK((block = malloc(1000)) != NULL);
        CHECK((block = realloc(block, 10)) != NULL);
    }
    return 0;
}
