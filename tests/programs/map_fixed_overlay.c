// truth mmap: allocations=3 frees=-1 bytes=36*4096 leaked_blocks=1 leaked_bytes=16*4096
// MAP_FIXED over an old mapping replaces it without munmap; bytes are never counted twice.
#include "support.h"

int main(void) {
    const size_t page = 4096;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    char* all = mmap(NULL, 16 * page, PROT_NONE, flags | MAP_NORESERVE, -1, 0);
    CHECK(all != MAP_FAILED);
    CHECK(mmap(all + 4 * page, 4 * page, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0) ==
          all + 4 * page);
    all[4 * page] = 1;
    CHECK(mmap(all, 16 * page, PROT_READ, flags | MAP_FIXED, -1, 0) == all);
    CHECK(mmap(all, page, PROT_READ, flags | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED);
    return 0;
}
