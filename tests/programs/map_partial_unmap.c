// truth mmap: allocations=2 frees=-1 bytes=17*4096 leaked_blocks=-1 leaked_bytes=7*4096
// Holes in a mapping: in the middle, at the beginning, at the end, and one munmap over all that is
// left of it.
#include "support.h"

int main(void) {
    const size_t page = 4096;
    char* all = mmap(NULL, 16 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(all != MAP_FAILED);
    CHECK(munmap(all + 4 * page, 4 * page) == 0);  // 0-3, 8-15
    CHECK(munmap(all, page) == 0);                 // 1-3, 8-15
    CHECK(munmap(all + 15 * page, page) == 0);     // 1-3, 8-14
    CHECK(munmap(all + 2 * page, 8 * page) == 0);  // 1, 10-14: one call over two pieces and a hole
    CHECK(munmap(all + 4 * page, 2 * page) == 0);  // nothing is there: no error, no change
    char* more = all + 6 * page;
    CHECK(mmap(more, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == more);
    return 0;
}
