// truth: allocations=1 frees=0 bytes=10 leaked_blocks=1 leaked_bytes=10
// truth child: allocations=100001 frees=100000 bytes=100001*24 leaked_blocks=1 leaked_bytes=24
// run: dumps=2..3
// daemon(): the parent exits. The child changes to /, turns 0, 1 and 2 into /dev/null, and
// continues.
#include "support.h"

static void* kept;

int main(void) {
    int finished[2];
    kept = malloc(10);
    CHECK(pipe(finished) == 0);
    const pid_t starter = fork();  // stays, so that the test can wait for the daemon
    CHECK(starter >= 0);
    if (starter == 0) {
        close(finished[0]);
        CHECK(daemon(0, 0) == 0);
        for (int i = 0; i < 100000; ++i) free(malloc(24));
        kept = malloc(24);
        exit(0);
    }
    close(finished[1]);
    char byte;
    CHECK(read(finished[0], &byte, 1) == 0);  // end of file: the daemon is gone
    int status;
    CHECK(waitpid(starter, &status, 0) == starter);
    say("the daemon ended\n");
    return 0;
}
