// truth: allocations=0 frees=0 bytes=0 leaked_blocks=0 leaked_bytes=0
// run: scope=own
// The program sees the environment that it was given: nothing added, nothing taken away.
#include "support.h"

extern char** environ;

int main(void) {
    int variables = 0;
    for (char** one = environ; *one; ++one) {
        if (strncmp(*one, "LD_PRELOAD=", 11) == 0 || strncmp(*one, "MEMTRACE_", 9) == 0) continue;
        if (strncmp(*one, "ORACLE_", 7) == 0) continue;
        say(*one);
        say("\n");
        variables += 1;
    }
    CHECK(variables > 0);
    return 0;
}
