// truth: allocations=2000*2 frees=2000*2 bytes=2000*(16+32) leaked_blocks=0 leaked_bytes=0
// run: scope=own dump_below=33554432
// Two thousand short threads, one after another: what memtrace keeps for a thread is used again.
#include "support.h"

static void* work(void* block) {
    free(block);
    return malloc(32);
}

int main(void) {
    for (int i = 0; i < 2000; ++i) {
        pthread_t id;
        void* block;
        CHECK(pthread_create(&id, NULL, work, malloc(16)) == 0);
        CHECK(pthread_join(id, &block) == 0);
        free(block);
    }
    return 0;
}
