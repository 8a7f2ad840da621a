// truth: allocations=200*101 frees=200*100 bytes=200*101*32 leaked_blocks=200 leaked_bytes=200*32
// run: scope=own
// Two hundred threads alive at the same time.
#include "support.h"

static pthread_barrier_t together;
static void* kept[200];

static void* work(void* slot) {
    pthread_barrier_wait(&together);
    for (int i = 0; i < 100; ++i) free(malloc(32));
    *(void**)slot = malloc(32);
    pthread_barrier_wait(&together);
    return NULL;
}

int main(void) {
    pthread_t threads[200];
    CHECK(pthread_barrier_init(&together, NULL, 200) == 0);
    for (int i = 0; i < 200; ++i) CHECK(pthread_create(&threads[i], NULL, work, &kept[i]) == 0);
    for (int i = 0; i < 200; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    return 0;
}
