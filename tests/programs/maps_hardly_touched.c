// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// run: manual
// Maps far more than it touches, as allocators with one large arena do. argv[1]: how.
#include "support.h"

#define MIB ((size_t)1 << 20)

static char* map(size_t bytes, int protection, int flags) {
    char* pages = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    CHECK(pages != MAP_FAILED);
    return pages;
}

__attribute__((noinline)) static char* arena(size_t bytes, int flags) {
    return map(bytes, PROT_READ | PROT_WRITE, flags);
}
__attribute__((noinline)) static char* cage(size_t bytes) { return map(bytes, PROT_NONE, 0); }
__attribute__((noinline)) static char* buffer(size_t bytes) {
    return map(bytes, PROT_READ | PROT_WRITE, 0);
}

int main(int argc, char** argv) {
    CHECK(argc == 2);
    usleep(600 * 1000);  // more than half of the run
    char* whole = buffer(24 * MIB);
    memset(whole, 1, 24 * MIB);
    if (strcmp(argv[1], "arena") == 0) {
        memset(arena(1024 * MIB, MAP_NORESERVE), 2, 6 * MIB);
    } else if (strcmp(argv[1], "cage") == 0) {
        char* pages = cage(2048 * MIB);
        CHECK(mprotect(pages, 5 * MIB, PROT_READ | PROT_WRITE) == 0);
        memset(pages, 2, 5 * MIB);
    } else if (strcmp(argv[1], "given_back") == 0) {
        char* pages = arena(64 * MIB, 0);
        memset(pages, 2, 64 * MIB);
        CHECK(madvise(pages, 60 * MIB, MADV_DONTNEED) == 0);
    } else {
        memset(arena(64 * MIB, MAP_NORESERVE), 2, 64 * MIB);
    }
    usleep(300 * 1000);  // memtrace looks at it
    return 0;
}
