// truth: allocations=300 frees=300 bytes=100*(100+50+9000) leaked_blocks=0 leaked_bytes=0
// Growing past a neighbour moves the block; its old place is free at once.
#include "support.h"

int main(void) {
    int moved = 0;
    for (int i = 0; i < 100; ++i) {
        char* block = malloc(100);
        char* neighbour = malloc(50);
        CHECK(block && neighbour);
        const uintptr_t before = (uintptr_t)block;
        block[99] = 7;
        block = realloc(block, 9000);
        CHECK(block != NULL && block[99] == 7);
        moved += (uintptr_t)block != before;
        free(neighbour);
        free(block);
    }
    CHECK(moved > 0);
    return 0;
}
