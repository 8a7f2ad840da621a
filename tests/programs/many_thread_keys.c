// truth: allocations=1 frees=0 bytes=10 leaked_blocks=1 leaked_bytes=10
// The program takes more thread keys than libc has room for in a thread's own block, before its
// first allocation. What memtrace's own key needs then is not the program's memory.
#include <pthread.h>

#include "support.h"

static void* kept;

int main(void) {
    pthread_key_t keys[40];
    for (int i = 0; i < 40; ++i) CHECK(pthread_key_create(&keys[i], NULL) == 0);
    kept = malloc(10);
    return 0;
}
