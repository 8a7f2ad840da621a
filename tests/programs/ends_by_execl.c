// truth: allocations=3 frees=2 bytes=60 leaked_blocks=1 leaked_bytes=30
// run: exit=7 end=exec dumps=2 children=free
// The functions that take a list: each fails once, and the last one puts a program in this one's
// place, with all of its arguments and its environment.
#include <stdio.h>

#include "support.h"

extern char** environ;

static void* kept;

int main(int count, char** own) {
    if (count > 1) {
        CHECK(count == 4 && own[1][0] == 'a' && own[2][0] == 'b' && own[3][0] == 'c');
        CHECK(getenv("LD_PRELOAD") == NULL || getenv("LD_PRELOAD")[0] != 0);
        puts("replaced");
        return 7;
    }
    free(malloc(10));
    CHECK(execl("/nowhere/sh", own[0], "a", NULL) == -1 && errno == ENOENT);
    free(malloc(20));
    CHECK(execlp("no-such-program", own[0], NULL) == -1 && errno == ENOENT);
    kept = malloc(30);
    execle("/proc/self/exe", own[0], "a", "b", "c", NULL, environ);
    return 1;
}
