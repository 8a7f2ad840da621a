// truth: allocations=2 frees=1 bytes=100+200 leaked_blocks=1 leaked_bytes=200
// truth child: allocations=1000 frees=1000 bytes=1000*16 leaked_blocks=0 leaked_bytes=0
// run: scope=own dumps=2
// A thread forks; in the child it is the only thread, and it continues to allocate.
#include "support.h"

static void* kept;

static void* thread(void* block) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        free(block);
        for (int i = 0; i < 1000; ++i) free(malloc(16));
        exit(0);
    }
    int status = 1;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    free(block);
    kept = malloc(200);
    return NULL;
}

int main(void) {
    pthread_t id;
    CHECK(pthread_create(&id, NULL, thread, malloc(100)) == 0);
    CHECK(pthread_join(id, NULL) == 0);
    return 0;
}
