// truth mmap: allocations=4 frees=4 bytes=2*65536+4096+131072 leaked_blocks=0 leaked_bytes=0
// mmap, mmap64, mremap and munmap; growing a mapping releases the old size and acquires the new
// one.
#include "support.h"

extern void* mmap64(void*, size_t, int, int, int, off64_t);

int main(void) {
    const int rw = PROT_READ | PROT_WRITE, anonymous = MAP_PRIVATE | MAP_ANONYMOUS;
    char* a = mmap(NULL, 65536, rw, anonymous, -1, 0);
    char* b = mmap64(NULL, 65536, rw, anonymous, -1, 0);
    char* c = mmap(NULL, 1, rw, anonymous, -1, 0);  // one byte is one page
    CHECK(a != MAP_FAILED && b != MAP_FAILED && c != MAP_FAILED);
    b = mremap(b, 65536, 131072, MREMAP_MAYMOVE);
    CHECK(b != MAP_FAILED);
    b[131071] = 1;
    CHECK(mmap(NULL, 0, rw, anonymous, -1, 0) == MAP_FAILED && errno == EINVAL);
    CHECK(munmap(a, 65536) == 0 && munmap(b, 131072) == 0 && munmap(c, 1) == 0);
    return 0;
}
