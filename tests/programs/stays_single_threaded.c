// truth: allocations=200001 frees=200000 bytes=200001*24 leaked_blocks=1 leaked_bytes=24
// A process that must have one thread only: unshare(CLONE_NEWUSER) fails in any other.
#include <dirent.h>
#include <sched.h>
#include <sys/syscall.h>

#include "support.h"

static void* kept;

static int tasks(void) {
    char names[4096];
    const int folder = open("/proc/self/task", O_RDONLY | O_DIRECTORY);
    int count = 0;
    for (long size; (size = syscall(SYS_getdents64, folder, names, sizeof names)) > 0;) {
        for (long at = 0; at < size; at += *(unsigned short*)(names + at + 16)) count += 1;
    }
    close(folder);
    return count - 2;  // without . and ..
}

int main(void) {
    for (int i = 0; i < 100000; ++i) free(malloc(24));
    usleep(50000);
    for (int i = 0; i < 100000; ++i) free(malloc(24));
    CHECK(tasks() == 1);
    if (unshare(CLONE_NEWUSER) != 0 && errno != EPERM && errno != ENOSPC && errno != ENOSYS)
        check_failed("unshare(CLONE_NEWUSER): more than one thread", __LINE__);
    kept = malloc(24);
    return 0;
}
