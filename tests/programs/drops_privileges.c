// truth: allocations=300001 frees=300000 bytes=300001*24 leaked_blocks=1 leaked_bytes=24
// A server that starts as root and continues as the user nobody: recording continues, too.
#include "support.h"

static void* kept;

int main(void) {
    free(malloc(24));
    if (geteuid() != 0) skip("only root can become another user");
    CHECK(setegid(65534) == 0 && seteuid(65534) == 0);
    for (int i = 0; i < 299999; ++i) free(malloc(24));
    kept = malloc(24);
    return 0;
}
