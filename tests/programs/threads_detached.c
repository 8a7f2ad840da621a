// truth: allocations=100*3 frees=100*2 bytes=100*60 leaked_blocks=100 leaked_bytes=100*30
// run: scope=own
// Detached threads, which no thread joins.
#include "support.h"

static int ended;
static void* kept[100];

static void* work(void* slot) {
    free(malloc(10));
    free(malloc(20));
    *(void**)slot = malloc(30);
    __atomic_fetch_add(&ended, 1, __ATOMIC_RELEASE);
    return NULL;
}

int main(void) {
    pthread_attr_t detached;
    pthread_t id;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (int i = 0; i < 100; ++i) CHECK(pthread_create(&id, &detached, work, &kept[i]) == 0);
    while (__atomic_load_n(&ended, __ATOMIC_ACQUIRE) < 100) usleep(1000);
    return 0;
}
