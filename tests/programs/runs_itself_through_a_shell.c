// truth: allocations=1 frees=0 bytes=20 leaked_blocks=1 leaked_bytes=20
// truth child: allocations=1 frees=0 bytes=20 leaked_blocks=1 leaked_bytes=20
// run: scope=own dumps=2
// system() puts a shell in between: the program that the shell starts still has the same file.
#include <stdio.h>

#include "support.h"

static void* kept;

int main(int count, char** arguments) {
    if (count == 1) {
        char command[4096];
        snprintf(command, sizeof command, "'%s' again; true", arguments[0]);
        CHECK(system(command) == 0);
    }
    kept = malloc(20);
    return 0;
}
