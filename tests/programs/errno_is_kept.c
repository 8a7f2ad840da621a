// truth: allocations=50000*11 frees=50000*11 bytes=50000*(10*40+80) leaked_blocks=0 leaked_bytes=0
// Calls that succeed leave errno alone, also where memtrace has work to do: half a million events.
#include "support.h"

#define KEEPS_ERRNO(call)     \
    do {                      \
        errno = 1234;         \
        call;                 \
        CHECK(errno == 1234); \
    } while (0)

int main(void) {
    for (int i = 0; i < 50000; ++i) {
        void *a, *b, *c, *d, *e, *f, *g;
        KEEPS_ERRNO(a = malloc(40));
        KEEPS_ERRNO(b = calloc(4, 10));
        KEEPS_ERRNO(c = malloc(40));
        KEEPS_ERRNO(c = realloc(c, 80));
        KEEPS_ERRNO(d = malloc(40));
        KEEPS_ERRNO(d = reallocarray(d, 4, 10));
        KEEPS_ERRNO(CHECK(posix_memalign(&e, 64, 40) == 0));
        KEEPS_ERRNO(f = aligned_alloc(64, 40));
        KEEPS_ERRNO(g = memalign(64, 40));
        CHECK(a && b && c && d && e && f && g);
        void* all[] = {a, b, c, d, e, f, g};
        for (int k = 0; k < 7; ++k) KEEPS_ERRNO(free(all[k]));
        KEEPS_ERRNO(free(valloc(40)));
        KEEPS_ERRNO(free(pvalloc(40)));
    }
    for (int i = 0; i < 1000; ++i) {
        void* pages;
        KEEPS_ERRNO(pages = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        KEEPS_ERRNO(pages = mremap(pages, 8192, 4096, MREMAP_MAYMOVE));
        KEEPS_ERRNO(munmap(pages, 4096));
    }
    return 0;
}
