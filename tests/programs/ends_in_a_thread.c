// truth: allocations=2 frees=0 bytes=30 leaked_blocks=2 leaked_bytes=30
// run: exit=5 scope=own
// A thread calls exit() while the others sleep.
#include "support.h"

static void* kept[2];

static void* leave(void* nothing) {
    kept[1] = malloc(20);
    exit(5);
    return nothing;
}

int main(void) {
    pthread_t id;
    kept[0] = malloc(10);
    CHECK(pthread_create(&id, NULL, leave, NULL) == 0);
    for (;;) pause();
}
