// truth: allocations=1 frees=0 bytes=10 leaked_blocks=1 leaked_bytes=10
// Descriptor 2 becomes a data file: memtrace's last line must not end up in it.
#include "support.h"

static void* kept;

int main(int argc, char** argv) {
    close(2);
    CHECK(open(argc > 1 ? argv[1] : "stderr.data", O_RDWR | O_CREAT | O_TRUNC, 0600) == 2);
    put(2, "data");
    kept = malloc(10);
    return 0;
}
