// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// run: manual
// A program that is killed at any instant. It counts in a shared file what it did: argv[1] file,
// argv[2] threads, argv[3], if given: microseconds of rest after 1000 blocks.
#include "support.h"

// One cache line per thread: calls of malloc that returned, calls of free that returned.
struct Count {
    _Alignas(64) uint64_t acquired;
    uint64_t released;
};
static struct Count* counts;
static useconds_t rest;

static void* work(void* mine) {
    struct Count* count = mine;
    void* blocks[100] = {0};
    for (unsigned i = 0;; ++i) {
        if (rest != 0 && i % 1000 == 0) usleep(rest);
        if (blocks[i % 100]) {
            free(blocks[i % 100]);
            __atomic_store_n(&count->released, count->released + 1, __ATOMIC_RELEASE);
        }
        blocks[i % 100] = malloc(i % 1000);
        __atomic_store_n(&count->acquired, count->acquired + 1, __ATOMIC_RELEASE);
    }
    return NULL;
}

int main(int argc, char** argv) {
    CHECK(argc >= 3);
    if (argc > 3) rest = (useconds_t)atoi(argv[3]);
    const int threads = atoi(argv[2]), file = open(argv[1], O_RDWR);
    CHECK(file >= 0);
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    CHECK(counts != MAP_FAILED);
    for (int i = 1; i < threads; ++i) {
        pthread_t id;
        CHECK(pthread_create(&id, NULL, work, &counts[i]) == 0);
    }
    work(&counts[0]);
    return 0;
}
