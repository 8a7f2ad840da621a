// truth: allocations=1 frees=1 bytes=100 leaked_blocks=0 leaked_bytes=0
// run: dumps=1..11
// Ten children that never touch the heap: nothing is invented for them.
#include "support.h"

int main(void) {
    void* block = malloc(100);
    for (int i = 0; i < 10; ++i) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) _exit(0);
        int status = 1;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    free(block);
    return 0;
}
