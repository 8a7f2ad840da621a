// truth: allocations=1 frees=0 bytes=1000 leaked_blocks=1 leaked_bytes=1000
// truth child: allocations=1 frees=0 bytes=10 leaked_blocks=1 leaked_bytes=10
// run: dumps=6
// A child of a child of a child, five deep: every generation has a dump of its own.
#include "support.h"

static void* kept;

int main(void) {
    kept = malloc(1000);
    for (int generation = 0; generation < 5; ++generation) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child != 0) {
            int status = 1;
            CHECK(waitpid(child, &status, 0) == child && status == 0);
            return 0;
        }
        kept = malloc(10);
    }
    return 0;
}
