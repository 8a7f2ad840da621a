// truth: allocations=2 frees=1 bytes=100+20 leaked_blocks=1 leaked_bytes=20
// run: dumps=1
// A vfork child uses its parent's memory until it execs. What happens later is recorded as before.
#include "support.h"

static void* kept;

int main(void) {
    void* block = malloc(100);
    for (int i = 0; i < 20; ++i) {
        const pid_t child = vfork();
        CHECK(child >= 0);
        if (child == 0) {
            char* const arguments[] = {"true", NULL};
            execv(i % 2 ? "/bin/true" : "/nowhere/true", arguments);
            _exit(9);
        }
        int status = 1;
        CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == (i % 2 ? 0 : 9));
    }
    free(block);
    kept = malloc(20);
    return 0;
}
