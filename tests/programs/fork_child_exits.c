// truth: allocations=101 frees=50 bytes=101*100 leaked_blocks=51 leaked_bytes=5100
// truth child: allocations=7 frees=5 bytes=7*10 leaked_blocks=2 leaked_bytes=20
// run: dumps=2
// A forked child frees blocks of its parent and its own, then ends by exit(): each process has a
// dump.
#include "support.h"

static void* blocks[100];
static void* kept[2];

int main(void) {
    for (int i = 0; i < 100; ++i) CHECK((blocks[i] = malloc(100)) != NULL);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        for (int i = 0; i < 30; ++i) free(blocks[i]);
        for (int i = 0; i < 5; ++i) free(malloc(10));
        kept[0] = malloc(10);
        kept[1] = malloc(10);
        exit(5);
    }
    for (int i = 0; i < 50; ++i) free(blocks[i]);
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
    kept[0] = malloc(100);
    return 0;
}
