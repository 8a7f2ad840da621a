// truth: allocations=2 frees=1 bytes=30 leaked_blocks=1 leaked_bytes=20
// run: exit=7 end=exec dumps=2 children=free
// After an exec that fails the program continues; one that succeeds ends the dump. The program that
// takes its place in the same process is recorded too: wrappers end like this.
#include <stdio.h>

#include "support.h"

static void* kept;

int main(int count, char** own) {
    if (count > 1) {
        puts("replaced");
        return 7;
    }
    void* block = malloc(10);
    char* const arguments[] = {own[0], "again", NULL};
    CHECK(execv("/nowhere/sh", arguments) == -1 && errno == ENOENT);
    free(block);
    kept = malloc(20);
    execv("/proc/self/exe", arguments);
    return 1;
}
