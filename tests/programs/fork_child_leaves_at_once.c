// truth: allocations=2 frees=1 bytes=100+50 leaked_blocks=1 leaked_bytes=50
// truth child: allocations=1 frees=0 bytes=10 leaked_blocks=1 leaked_bytes=10
// run: dumps=2
// The child ends by _exit(), without any handler; its one block is in its dump all the same.
#include "support.h"

static void* kept;

int main(void) {
    void* block = malloc(100);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        kept = malloc(10);
        _exit(6);
    }
    free(block);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 6);
    kept = malloc(50);
    return 0;
}
