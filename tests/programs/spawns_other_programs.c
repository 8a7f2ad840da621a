// truth: allocations=1 frees=0 bytes=20 leaked_blocks=1 leaked_bytes=20
// run: scope=own dumps=1
// posix_spawn, system and popen start other programs, which are not traced by default.
#include <spawn.h>
#include <stdio.h>

#include "support.h"

extern char** environ;
static void* kept;

int main(void) {
    pid_t child;
    int status = 1;
    char* arguments[] = {"sh", "-c", "exit 3", NULL};
    CHECK(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0);
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
    CHECK(WEXITSTATUS(system("exit 4")) == 4);
    FILE* pipe = popen("echo hello; exit 5", "r");
    char line[32] = "";
    CHECK(pipe && fgets(line, sizeof line, pipe) && strcmp(line, "hello\n") == 0);
    CHECK(WEXITSTATUS(pclose(pipe)) == 5);
    say(line);
    kept = malloc(20);
    return 0;
}
