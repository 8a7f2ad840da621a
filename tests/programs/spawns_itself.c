// truth: allocations=1 frees=0 bytes=20 leaked_blocks=1 leaked_bytes=20
// truth child: allocations=1 frees=0 bytes=30 leaked_blocks=1 leaked_bytes=30
// run: dumps=4..5
// Started again by posix_spawn, fork+exec and vfork+exec, the program is traced in each child.
#include <spawn.h>

#include "support.h"

extern char** environ;
static void* kept;

int main(int argc, char** argv) {
    if (argc > 1) {
        kept = malloc(30);
        return 0;
    }
    char* arguments[] = {argv[0], "child", NULL};
    for (int way = 0; way < 3; ++way) {
        pid_t child = -1;
        if (way == 0) CHECK(posix_spawn(&child, argv[0], NULL, NULL, arguments, environ) == 0);
        if (way == 1 && (child = fork()) == 0) _exit(execv(argv[0], arguments));
        if (way == 2 && (child = vfork()) == 0) _exit(execve(argv[0], arguments, environ));
        int status = 1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    kept = malloc(20);
    return 0;
}
