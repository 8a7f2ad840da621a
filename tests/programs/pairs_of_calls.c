// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// run: manual
// pairs_of_calls WHAT N calls malloc and free N times, between two breakpoints. WHAT is malloc,
// calloc, realloc or memalign.
#include "support.h"

#define BREAKPOINT __asm__ volatile("int3" ::: "memory")

__attribute__((noinline)) static void call(const char* what) {
    void* block = NULL;
    if (*what == 'm' && what[1] == 'a') block = malloc(100);
    else if (*what == 'c') block = calloc(1, 100);
    else if (*what == 'r') block = realloc(NULL, 100);
    else CHECK(posix_memalign(&block, 16, 100) == 0);
    CHECK(block != NULL);
    __asm__ volatile("" ::"r"(block) : "memory");
    free(block);
}

int main(int argc, char** argv) {
    CHECK(argc == 3);
    const long count = atol(argv[2]);
    for (int i = 0; i < 100; ++i) call(argv[1]);  // what is done once is done now
    BREAKPOINT;
    for (long i = 0; i < count; ++i) call(argv[1]);
    BREAKPOINT;
    return 0;
}
