// truth mmap: allocations=6 frees=-1 bytes=4096*(4+8+2+4+4+4) leaked_blocks=1 leaked_bytes=4*4096
// mremap: grow with a move, shrink in place, fail, move over an existing mapping.
#include "support.h"

int main(void) {
    const size_t page = 4096;
    const int rw = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS;
    char* a = mmap(NULL, 4 * page, rw, flags, -1, 0);
    CHECK(a != MAP_FAILED);
    CHECK((a = mremap(a, 4 * page, 8 * page, MREMAP_MAYMOVE)) != MAP_FAILED);
    CHECK((a = mremap(a, 8 * page, 2 * page, 0)) != MAP_FAILED);
    CHECK(mremap(a, 2 * page, (size_t)1 << 62, MREMAP_MAYMOVE) == MAP_FAILED);
    char* place = mmap(NULL, 4 * page, PROT_NONE, flags, -1, 0);
    CHECK(place != MAP_FAILED);
    CHECK((a = mremap(a, 2 * page, 4 * page, MREMAP_MAYMOVE | MREMAP_FIXED, place)) == place);
    CHECK(mprotect(a, 4 * page, rw) == 0);
    a[4 * page - 1] = 1;
    CHECK(mremap(a, 4 * page, 4 * page, MREMAP_MAYMOVE) == a);
    return 0;
}
