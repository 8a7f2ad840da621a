// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=0 leaked_bytes=0
// truth child: allocations=100 frees=100 bytes=100*24 leaked_blocks=0 leaked_bytes=0
// run: scope=own dumps=65
// Sixteen threads allocate while main forks 64 times: no child may hang.
#include "support.h"

static int stop;

static void* allocate(void* nothing) {
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        for (size_t i = 1; i < 100; ++i) free(malloc(i * 8));
        usleep(100);
    }
    return nothing;
}

int main(void) {
    pthread_t threads[16];
    for (int i = 0; i < 16; ++i) CHECK(pthread_create(&threads[i], NULL, allocate, NULL) == 0);
    for (int i = 0; i < 64; ++i) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            for (int k = 0; k < 100; ++k) free(malloc(24));
            if (i % 2) exit(0);
            _exit(0);
        }
        int status = 1;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 16; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
    say("all children ended\n");
    return 0;
}
