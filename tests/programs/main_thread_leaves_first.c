// truth: allocations=101 frees=100 bytes=101*10 leaked_blocks=1 leaked_bytes=10
// run: scope=own
// main ends by pthread_exit; another thread continues and ends the process.
#include "support.h"

static void* kept;

static void* work(void* main_thread) {
    pthread_join(*(pthread_t*)main_thread, NULL);
    for (int i = 0; i < 100; ++i) free(malloc(10));
    say("worked on\n");
    return NULL;
}

int main(void) {
    static pthread_t self;
    pthread_t id;
    self = pthread_self();
    kept = malloc(10);
    CHECK(pthread_create(&id, NULL, work, &self) == 0);
    pthread_exit(NULL);
}
