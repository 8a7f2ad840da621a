// truth: allocations=1 frees=0 bytes=10 leaked_blocks=1 leaked_bytes=10
// run: scope=own exit=6 dumps=1
// clearenv and setenv: the program may change its environment, and its child starts untraced.
#include "support.h"

static void* kept;

int main(void) {
    for (int i = 0; i < 100; ++i) CHECK(setenv("COUNT", i % 2 ? "odd" : "longer", 1) == 0);
    CHECK(clearenv() == 0);
    CHECK(setenv("PATH", "/usr/bin:/bin", 1) == 0);
    kept = malloc(10);
    CHECK(WEXITSTATUS(system("env | grep -c MEMTRACE; exit 6")) == 6);
    CHECK(clearenv() == 0);
    return 6;
}
